/** Drawing primitives for the engravings: SVG path data in three line widths. Filled shapes cover what is below. */

export type Point = readonly [x: number, y: number];

export const CONTOUR = 2;
export const FINE = 1.2;
export const HAIR = 0.8;

/** The point at a distance and a clockwise angle from a centre; 0° is at twelve o'clock. */
export function polar([x, y]: Point, radius: number, degrees: number): Point {
  const angle = ((degrees - 90) * Math.PI) / 180;
  return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
}

const round = (value: number) => String(Math.round(value * 10) / 10);
const at = ([x, y]: Point) => `${round(x)} ${round(y)}`;

export function polygon(points: readonly Point[], closed = true): string {
  return (
    points.map((point, index) => `${index === 0 ? 'M' : 'L'}${at(point)}`).join('') + (closed ? 'Z' : '')
  );
}

export function circle(centre: Point, radius: number): string {
  const [top, bottom] = [polar(centre, radius, 0), polar(centre, radius, 180)];
  const arc = `A${round(radius)} ${round(radius)} 0 0 1 `;
  return `M${at(top)}${arc}${at(bottom)}${arc}${at(top)}Z`;
}

export function arc(centre: Point, radius: number, from: number, to: number): string {
  const large = Math.abs(to - from) > 180 ? 1 : 0;
  const sweep = to > from ? 1 : 0;
  return `M${at(polar(centre, radius, from))}A${round(radius)} ${round(radius)} 0 ${large} ${sweep} ${at(polar(centre, radius, to))}`;
}

/** A flat spiral spring, seen from above. */
export function spiral(centre: Point, from: number, to: number, turns: number): string {
  const steps = Math.ceil(turns * 24);
  const points = Array.from({ length: steps + 1 }, (_, step) =>
    polar(centre, from + ((to - from) * step) / steps, (step / 24) * 360),
  );
  return polygon(points, false);
}

type Fill = 'none' | 'leaf' | 'wash';

/** One SVG path. `fill` is a class of the sheet's styles, which differ in light and dark mode. */
export function mark(path: string, fill: Fill = 'none', width = CONTOUR): string {
  return `<path class="${fill}" d="${path}"${width === CONTOUR ? '' : ` stroke-width="${width}"`}/>`;
}

/** A complete SVG, with the colours of light and dark mode. */
export function sheet(size: number, marks: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" stroke-width="${CONTOUR}" stroke-linecap="round" stroke-linejoin="round">
<style>
svg{stroke:#211d17;fill:none}.none{fill:none}.leaf{fill:#fffcf6}.wash{fill:#ecd6a8;fill-rule:evenodd}
.ink{fill:#211d17;stroke:none}
@media(prefers-color-scheme:dark){svg{stroke:#d8ccb6}.leaf{fill:#1f1b16}.wash{fill:#4d3c1d}.ink{fill:#d8ccb6}}
</style>
${marks.join('\n')}
</svg>`;
}
