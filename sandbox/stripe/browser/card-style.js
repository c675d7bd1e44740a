/** The shop's `style` and `fonts` options. https://docs.stripe.com/js/appendix/style */

/** Set through the style sheet's objects, since the policy of this page allows no inline style. */
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

const properties = new Set(
  ['color', 'fontFamily', 'fontSize', 'fontStyle', 'fontVariant', 'fontWeight', 'letterSpacing'].concat([
    'lineHeight',
    'textAlign',
    'textDecoration',
    'textShadow',
    'textTransform',
    'backgroundColor',
  ]),
);
const states = { base: '', empty: '.empty ', complete: '.complete ', invalid: '' };
const pseudos = [':hover', ':focus', '::placeholder', '::selection', ':-webkit-autofill', ':disabled'];

/** @param {Record<string, Record<string, any>>} style */
export function applyStyle(style) {
  sheet.replaceSync('');
  for (const [state, scope] of Object.entries(states)) {
    const given = style[state];
    if (!given) continue;
    const inputs = state === 'invalid' ? 'input[aria-invalid="true"]' : `${scope}input`;
    addRule(state === 'base' ? 'body' : inputs, given);
    for (const pseudo of pseudos) if (given[pseudo]) addRule(`${inputs}${pseudo}`, given[pseudo]);
    const icon = state === 'invalid' ? '.number:has([aria-invalid="true"]) svg' : `${scope}svg`;
    if (given.iconColor) addRule(icon, { color: given.iconColor });
  }
}

/** @param {string} selector @param {Record<string, unknown>} values */
function addRule(selector, values) {
  const rule = /** @type {CSSStyleRule} */ (
    sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)]
  );
  for (const [name, value] of Object.entries(values)) {
    if (properties.has(name)) Object.assign(rule.style, { [name]: String(value) });
  }
}

/** @param {{ family: string, src: string, weight?: string, style?: string, unicodeRange?: string }[]} fonts */
export function applyFonts(fonts) {
  for (const { family, src, ...descriptors } of fonts) {
    // A style sheet's address (cssSrc) is not supported: the frame loads no foreign style.
    if (!family || !src) continue;
    const font = new FontFace(family, src, { display: 'swap', ...descriptors });
    document.fonts.add(font);
    // A font that cannot be had leaves the one behind it in the list.
    font.load().catch(() => undefined);
  }
}
