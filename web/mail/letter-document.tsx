import type { Letter, LetterBlock } from '../../contract/mail.ts';
import { Commands } from '../components/commands.tsx';

/*
 * Mail programs lay out tables reliably, and some drop the style sheet: the light colours are inline, and the style sheet
 * only replaces them in dark mode.
 */

const colors = {
  paper: '#f7f2e8',
  leaf: '#fffcf6',
  ink: '#211d17',
  soft: '#5e564a',
  press: '#1f3f73',
  rule: '#d9cfbd',
};

const darkStyles = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media(prefers-color-scheme:dark){
.paper{background:#16130f!important}.leaf{background:#1f1b16!important;border-color:#3a342b!important}
.ink{color:#f1e9da!important}.soft{color:#b9ae9b!important}.link{color:#9dbdf2!important}
.button{background:#9dbdf2!important;color:#16130f!important}.rule{border-color:#3a342b!important}
}
@media(max-width:600px){.leaf{padding:24px 16px!important}}`;

const font = "Georgia, 'Times New Roman', serif";
const textStyle = { margin: '0 0 16px', fontSize: 16, lineHeight: '24px', color: colors.ink };
const smallStyle = { fontSize: 14, lineHeight: '20px', color: colors.soft };

/** A message as an HTML document. */
export function LetterDocument({ letter }: { letter: Letter }) {
  const { subject, preview, heading, blocks, reason, shop } = letter;
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
        <style>{darkStyles}</style>
      </head>
      <body className="paper" style={{ margin: 0, padding: 0, background: colors.paper, fontFamily: font }}>
        <div style={{ display: 'none', maxHeight: 0, overflow: 'hidden' }}>{preview}</div>
        <Table className="paper" style={{ background: colors.paper }}>
          <td align="center" style={{ padding: '24px 8px' }}>
            <Table style={{ maxWidth: 600 }}>
              <td>
                <p className="soft" style={{ ...smallStyle, margin: '0 0 12px', textAlign: 'center' }}>
                  <a className="link" href={shop.url} style={{ color: colors.press, textDecoration: 'none' }}>
                    {shop.name}
                  </a>
                </p>
                <Table
                  className="leaf"
                  style={{ background: colors.leaf, border: `1px solid ${colors.rule}`, padding: 32 }}
                >
                  <td>
                    <h1
                      className="ink"
                      style={{ ...textStyle, fontSize: 26, lineHeight: '32px', fontWeight: 500 }}
                    >
                      {heading}
                    </h1>
                    {blocks.map((block) => (
                      <Block key={JSON.stringify(block)} block={block} />
                    ))}
                  </td>
                </Table>
                <p className="soft" style={{ ...smallStyle, margin: '16px 8px 0', whiteSpace: 'pre-line' }}>
                  {[reason, [shop.name, shop.address, shop.taxId].filter(Boolean).join('\n')].join('\n\n')}
                </p>
              </td>
            </Table>
          </td>
        </Table>
      </body>
    </html>
  );
}

/** A table of one row, for layout only. */
function Table(props: { className?: string; style?: React.CSSProperties; children: React.ReactNode }) {
  const { className, style, children } = props;
  return (
    <table
      role="presentation"
      width="100%"
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
    case 'lines':
      return <Lines {...block} />;
    case 'facts':
      return <Facts {...block} />;
  }
}

function Button({ label, url }: { label: string; url: string }) {
  return (
    <p style={{ margin: '8px 0 24px' }}>
      <a
        className="button"
        href={url}
        style={{
          display: 'inline-block',
          padding: '12px 24px',
          background: colors.press,
          color: colors.leaf,
          fontSize: 16,
          lineHeight: '24px',
          textDecoration: 'none',
        }}
      >
        {label}
      </a>
    </p>
  );
}

const cell = { padding: '8px 0', borderBottom: `1px solid ${colors.rule}`, fontSize: 16, lineHeight: '24px' };

function Lines({ lines, totals }: Extract<LetterBlock, { block: 'lines' }>) {
  const amount = { ...cell, textAlign: 'right', whiteSpace: 'nowrap', verticalAlign: 'top' } as const;
  return (
    <table width="100%" cellPadding={0} cellSpacing={0} style={{ margin: '0 0 24px' }}>
      <tbody>
        {lines.map(({ text, note, amount: value }) => (
          <tr key={`${text} ${value}`}>
            <td className="ink rule" style={{ ...cell, paddingRight: 16, color: colors.ink }}>
              {text}
              {note && (
                <div className="soft" style={smallStyle}>
                  {note}
                </div>
              )}
            </td>
            <td className="ink rule" style={{ ...amount, color: colors.ink }}>
              {value}
            </td>
          </tr>
        ))}
        {totals.map(({ label, amount: value }) => (
          <tr key={label}>
            <td className="ink rule" style={{ ...cell, color: colors.ink }}>
              <strong>{label}</strong>
            </td>
            <td className="ink rule" style={{ ...amount, color: colors.ink }}>
              <strong>{value}</strong>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

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
                width: 110,
                padding: '4px 24px 4px 0',
                fontWeight: 400,
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
                <a className="link" href={url} style={{ color: colors.press }}>
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
