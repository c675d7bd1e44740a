/** The drawing primitives. All strokes are made here, so that all drawings share one style. */

export type Point = readonly [x: number, y: number];

export const INK = '#211D17';
export const LEAF = '#FFFCF6';
/** The flat brass wash. */
export const BRASS = '#E9CF9C';

/** Stroke widths in units of the plate, which is 480 wide. */
const CONTOUR = 2.4;
export const FINE = 1.4;
export const HAIR = 1;

/** The y coordinate on which every tool stands; its shadow falls below. */
export const BENCH = 288;

const round = (value: number) => String(Math.round(value * 100) / 100);

function pathData(points: readonly Point[], closed: boolean): string {
  const steps = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`);
  return steps.join('') + (closed ? 'Z' : '');
}

export function line(points: readonly Point[], width: number = CONTOUR): string {
  return `<path d="${pathData(points, false)}" stroke-width="${round(width)}"/>`;
}

/** A closed outline that covers earlier marks. With `width` 0 it has no contour. */
export function shape(points: readonly Point[], fill: string = LEAF, width: number = CONTOUR): string {
  const stroke = width === 0 ? 'stroke="none"' : `stroke-width="${round(width)}"`;
  return `<path d="${pathData(points, true)}" fill="${fill}" ${stroke}/>`;
}

/** Places path data (a letter) at a point, rotated and scaled, with an unscaled stroke. */
export function stamp(data: string, [x, y]: Point, degrees: number, scale: number, width: number): string {
  const place = `translate(${round(x)} ${round(y)}) rotate(${round(degrees)}) scale(${round(scale)})`;
  return `<path d="${data}" transform="${place}" stroke-width="${round(width / scale)}"/>`;
}

/** A complete SVG document of the given size on the leaf's background. */
export function sheet(width: number, height: number, ...marks: string[]): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `fill="none" stroke="${INK}" stroke-linecap="round" stroke-linejoin="round">` +
    `<rect width="${width}" height="${height}" fill="${LEAF}" stroke="none"/>${marks.join('')}</svg>`
  );
}

/** A tool's plate, 480 × 360. */
export const plate = (...marks: string[]) => sheet(480, 360, ...marks);
