import type { Letter, LetterBlock } from '../../contract/mail.ts';
import { Commands } from '../components/commands.tsx';

/*
 * Mail programs lay out tables reliably, and some drop the style sheet: the light colours are inline, and the style sheet
 * only replaces them in dark mode. No program loads the shop's typeface.
 */

const colors = {
  paper: '#f7f2e8',
  leaf: '#fffcf6',
  ink: '#211d17',
  soft: '#5e564a',
  blued: '#1f3f73',
  brass: '#8a5a12',
  rule: '#d9cfbd',
};

const serif = "Georgia, 'Times New Roman', serif";
/** Outlook for Windows knows the first and would use its own default if the first were unknown. */
const sans = "'Segoe UI', system-ui, -apple-system, Roboto, Helvetica, Arial, sans-serif";

/** `mso` properties are for Outlook for Windows, which neither inherits a font in tables nor shows WebP. */
const styleSheet = `
td,th{font-family:${sans}}
.tool{font-family:${serif}}
.thumbnail{mso-hide:all}
.key{mso-padding-alt:12px 24px}
@media(min-width:600px){.leaf{padding:32px!important}}
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media(prefers-color-scheme:dark){
.paper{background:#16130f!important}.leaf{background:#1f1b16!important;border-color:#3a342b!important}
.ink{color:#f1e9da!important}.soft{color:#b9ae9b!important}.link{color:#9dbdf2!important}
.key,.key a{background:#9dbdf2!important;color:#16130f!important}
.rule{border-color:#3a342b!important}.brass{border-color:#e0ae55!important}
}`;

const textStyle = { margin: '0 0 16px', fontSize: 16, lineHeight: '24px', color: colors.ink };
const smallStyle = { fontSize: 14, lineHeight: '20px', color: colors.soft };

/** A message as an HTML document: a sheet with the shop's letterhead. */
export function LetterDocument({ letter }: { letter: Letter }) {
  const { subject, preview, heading, blocks, contact, reason, shop } = letter;
  return (
    <html lang="en">
      <head>
        <meta httpEquiv="Content-Type" content="text/html; charset=utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        {/* Phones would link dates and numbers in their own colour. */}
        <meta name="format-detection" content="telephone=no,date=no,address=no,email=no" />
        <title>{subject}</title>
        <style>{styleSheet}</style>
      </head>
      <body className="paper" style={{ margin: 0, padding: 0, background: colors.paper, fontFamily: sans }}>
        <div style={{ display: 'none', maxHeight: 0, overflow: 'hidden' }}>
          {[...preview].slice(0, maxPreviewLength).join('')}
        </div>
        <Table className="paper" style={{ background: colors.paper }}>
          <td align="center" style={{ padding: '24px 8px' }}>
            {/* Outlook for Windows reads only the attribute. */}
            <Table width={600} style={{ width: '100%', maxWidth: 600 }}>
              <td>
                <Table
                  className="leaf"
                  style={{
                    background: colors.leaf,
                    border: `1px solid ${colors.rule}`,
                    padding: '24px 16px',
                  }}
                >
                  <td>
                    <Letterhead shop={shop} />
                    <h1
                      className="ink"
                      style={{
                        ...textStyle,
                        fontFamily: serif,
                        fontSize: 25,
                        lineHeight: '32px',
                        fontWeight: 400,
                      }}
                    >
                      {heading}
                    </h1>
                    {blocks.map((block) => (
                      <Block key={JSON.stringify(block)} block={block} />
                    ))}
                    {contact && <Contact {...contact} />}
                  </td>
                </Table>
                <p className="soft" style={{ ...smallStyle, margin: '16px 8px 0' }}>
                  {reason}
                  {shop.address && (
                    <>
                      <br />
                      {[shop.name, ...shop.address.split('\n')].join(' · ')}
                    </>
                  )}
                  {shop.taxId && (
                    <>
                      <br />
                      {shop.taxId}
                    </>
                  )}
                </p>
              </td>
            </Table>
          </td>
        </Table>
      </body>
    </html>
  );
}

/** Longer than any mail program shows. */
const maxPreviewLength = 200;

/** As an engraver sets one: the name, and a thick rule with a thin one. */
function Letterhead({ shop }: Pick<Letter, 'shop'>) {
  return (
    <Table style={{ marginBottom: 24 }}>
      <td
        className="brass"
        align="center"
        style={{ paddingBottom: 16, borderBottom: `4px double ${colors.brass}` }}
      >
        <a
          className="ink"
          href={shop.url}
          style={{
            color: colors.ink,
            fontFamily: serif,
            fontSize: 28,
            lineHeight: '36px',
            letterSpacing: 1,
            textDecoration: 'none',
          }}
        >
          {shop.name}
        </a>
      </td>
    </Table>
  );
}

function Contact({ text, link }: NonNullable<Letter['contact']>) {
  return (
    <p className="soft" style={{ ...smallStyle, margin: 0 }}>
      {text}
      {link && (
        <>
          {' '}
          <a className="link" href={link.url} style={{ color: colors.blued }}>
            {link.label}
          </a>
        </>
      )}
    </p>
  );
}

type TableProps = {
  className?: string;
  width?: number;
  style?: React.CSSProperties;
  children: React.ReactNode;
};

/** A table of one row, for layout only. */
function Table({ className, width, style, children }: TableProps) {
  return (
    <table
      role="presentation"
      width={width ?? '100%'}
      cellPadding={0}
      cellSpacing={0}
      className={className}
      style={{ borderCollapse: 'separate', ...style }}
    >
      <tbody>
        <tr>{children}</tr>
      </tbody>
    </table>
  );
}

function Block({ block }: { block: LetterBlock }) {
  switch (block.block) {
    case 'paragraph':
      return (
        <p className="ink" style={{ ...textStyle, whiteSpace: 'pre-line' }}>
          {block.hasCommands ? <Commands text={block.text} /> : block.text}
        </p>
      );
    case 'quote':
      return (
        <blockquote
          className="ink rule"
          style={{
            ...textStyle,
            margin: '0 0 24px',
            padding: '4px 0 4px 16px',
            borderLeft: `4px solid ${colors.rule}`,
            whiteSpace: 'pre-line',
            overflowWrap: 'anywhere',
          }}
        >
          {block.text}
        </blockquote>
      );
    case 'button':
      return <Button {...block} />;
    case 'link':
      return (
        <p style={{ ...textStyle, margin: '0 0 24px' }}>
          <a className="link" href={block.url} style={{ color: colors.blued }}>
            {block.label}
          </a>
        </p>
      );
    case 'lines':
      return <Lines {...block} />;
    case 'facts':
      return <Facts {...block} />;
  }
}

function Button({ label, url }: { label: string; url: string }) {
  return (
    <table role="presentation" cellPadding={0} cellSpacing={0} style={{ margin: '8px 0 24px' }}>
      <tbody>
        <tr>
          <td className="key" style={{ background: colors.blued }}>
            <a
              href={url}
              style={{
                display: 'inline-block',
                padding: '12px 24px',
                color: colors.leaf,
                fontSize: 16,
                lineHeight: '24px',
                textDecoration: 'none',
              }}
            >
              {label}
            </a>
          </td>
        </tr>
      </tbody>
    </table>
  );
}

const lineRule = { borderBottom: `1px solid ${colors.rule}` };
const amountStyle = {
  color: colors.ink,
  textAlign: 'right',
  whiteSpace: 'nowrap',
  verticalAlign: 'baseline',
} as const;

/**
 * The amount is below the name, which needs the whole width on a phone. The name's serif is in the style sheet, because Gmail cuts
 * long messages off and a copy of the typefaces in each line would make them longer.
 */
function Lines({ lines, totals }: Extract<LetterBlock, { block: 'lines' }>) {
  const hasImages = lines.some(({ image }) => image);
  const table = {
    margin: '0 0 24px',
    borderTop: `1px solid ${colors.rule}`,
    fontSize: 16,
    lineHeight: '24px',
  };
  return (
    <table width="100%" cellPadding={0} cellSpacing={0} className="rule" style={table}>
      {lines.map(({ text, note, amount, image }) => {
        const isSingle = note === undefined && amount === undefined;
        const end = { ...lineRule, paddingBottom: 12 };
        return (
          <tbody key={`${text} ${amount}`}>
            <tr>
              {hasImages && (
                <td
                  className="rule"
                  rowSpan={isSingle ? 1 : 2}
                  width={80}
                  style={{ ...lineRule, padding: '12px 16px 12px 0', verticalAlign: 'top' }}
                >
                  {image && <Thumbnail url={image} />}
                </td>
              )}
              <td
                className="ink rule tool"
                colSpan={2}
                style={{
                  paddingTop: 12,
                  color: colors.ink,
                  wordBreak: 'break-word',
                  verticalAlign: 'top',
                  ...(isSingle ? end : {}),
                }}
              >
                {text}
              </td>
            </tr>
            {!isSingle && (
              <tr>
                <td
                  className="soft rule"
                  width="99%"
                  style={{ ...smallStyle, ...end, verticalAlign: 'baseline' }}
                >
                  {note}
                </td>
                <td className="ink rule" style={{ ...amountStyle, ...end }}>
                  {amount}
                </td>
              </tr>
            )}
          </tbody>
        );
      })}
      <tbody>
        {totals.map(({ label, amount }) => (
          <tr key={label}>
            <td
              className="ink rule"
              colSpan={hasImages ? 2 : 1}
              style={{ ...lineRule, padding: '12px 0', color: colors.ink }}
            >
              <strong>{label}</strong>
            </td>
            <td className="ink rule" style={{ ...amountStyle, ...lineRule, padding: '12px 0' }}>
              <strong>{amount}</strong>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The tool's name is beside it. React would add a link to the head that preloads it, if it were not lazy. */
const Thumbnail = ({ url }: { url: string }) => (
  <img
    className="thumbnail rule"
    src={url}
    alt=""
    width={64}
    height={48}
    loading="lazy"
    style={{
      display: 'block',
      boxSizing: 'border-box',
      border: `1px solid ${colors.rule}`,
      objectFit: 'contain',
    }}
  />
);

function Facts({ facts }: Extract<LetterBlock, { block: 'facts' }>) {
  return (
    <table cellPadding={0} cellSpacing={0} style={{ margin: '0 0 24px' }}>
      <tbody>
        {facts.map(({ label, value, url }) => (
          <tr key={label}>
            <th
              className="soft"
              align="left"
              scope="row"
              style={{
                ...smallStyle,
                padding: '4px 16px 4px 0',
                fontWeight: 400,
                whiteSpace: 'nowrap',
                verticalAlign: 'top',
              }}
            >
              {label}
            </th>
            <td
              className="ink"
              style={{
                ...smallStyle,
                padding: '4px 0',
                color: colors.ink,
                whiteSpace: 'pre-line',
                verticalAlign: 'top',
                // A transaction number is wider than a phone.
                wordBreak: 'break-word',
              }}
            >
              {url ? (
                <a className="link" href={url} style={{ color: colors.blued }}>
                  {value}
                </a>
              ) : (
                value
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
