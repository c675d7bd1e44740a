/** Fictional brands. */
const brands = [
  ['Ferrule & Sons', 'M4 12h16M7 7h10v10H7z'],
  ['Arbor Works', 'M12 3v18M4 12a8 8 0 0 0 16 0 8 8 0 0 0-16 0z'],
  ['Pallet & Fork', 'M4 18l8-12 8 12M8 18h8'],
  ['Lantern Pinion Co.', 'M7 4h10M7 20h10M9 4v16m3-16v16m3-16v16'],
  ['Verge Brothers', 'M4 6l8 13 8-13M9 6h6'],
] as const;

export function Brands() {
  return (
    <section aria-label="Brands we carry">
      <ul className="grid grid-cols-2 gap-6 border-y border-rule py-6 sm:flex sm:justify-between">
        {brands.map(([name, mark]) => (
          <li
            key={name}
            className="flex flex-col items-center gap-2 text-center font-serif text-lg text-soft max-sm:last:col-span-2 lg:flex-row lg:gap-3"
          >
            <svg viewBox="0 0 24 24" className="size-7" fill="none" stroke="currentColor" aria-hidden="true">
              <path d={mark} strokeWidth="1.5" strokeLinejoin="round" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </section>
  );
}
