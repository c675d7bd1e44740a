/** The shop's `style` and `fonts` options. https://docs.stripe.com/js/appendix/style */

/** The sheet is built through the CSSOM, because this page's security policy forbids inline styles. */
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
    const rules = style[state];
    if (!rules) continue;
    const inputs = state === 'invalid' ? 'input[aria-invalid="true"]' : `${scope}input`;
    addRule(state === 'base' ? 'body' : inputs, rules);
    for (const pseudo of pseudos) if (rules[pseudo]) addRule(`${inputs}${pseudo}`, rules[pseudo]);
    const icon = state === 'invalid' ? '.number:has([aria-invalid="true"]) svg' : `${scope}svg`;
    if (rules.iconColor) addRule(icon, { color: rules.iconColor });
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
    // `cssSrc` is not supported: the frame loads no foreign style sheets.
    if (!family || !src) continue;
    const font = new FontFace(family, src, { display: 'swap', ...descriptors });
    document.fonts.add(font);
    // If the font fails to load, the next font in the list is used.
    font.load().catch(() => undefined);
  }
}
