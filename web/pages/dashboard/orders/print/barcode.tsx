/** The width of the narrowest bar. */
const moduleMm = 0.33;
/** The blank space that scanners need on each side. */
const quietModules = 10;

/** A Code 128 barcode. `widths` are the widths of its bars and spaces in modules, starting with a bar. */
export function Barcode({ widths, label }: { widths: readonly number[]; label: string }) {
  const total = 2 * quietModules + widths.reduce((sum, width) => sum + width, 0);
  let x = quietModules;
  let bars = '';
  for (const [index, width] of widths.entries()) {
    if (index % 2 === 0) bars += `M${x} 0h${width}v1h-${width}z`;
    x += width;
  }
  return (
    <svg
      role="img"
      aria-label={`Barcode of ${label}`}
      viewBox={`0 0 ${total} 1`}
      preserveAspectRatio="none"
      width={`${(total * moduleMm).toFixed(2)}mm`}
      height="12mm"
      shapeRendering="crispEdges"
      className="-ml-[3.3mm] max-w-none bg-[#fff]"
    >
      <path d={bars} fill="#000" />
    </svg>
  );
}
