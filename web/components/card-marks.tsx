/** The names of the cards that the provider takes. The page shows no logos, because they are trademarks. */
export const cards = ['Visa', 'Mastercard', 'American Express'];

export function CardMarks() {
  return (
    <ul aria-label="Cards" className="flex flex-wrap items-center gap-2 text-xs">
      {cards.map((card) => (
        <li
          key={card}
          className="flex items-center gap-1.5 rounded-control border border-rule bg-leaf px-2 py-1 font-medium text-soft"
        >
          <svg viewBox="0 0 24 16" className="h-3 w-4.5" fill="none" aria-hidden="true">
            <g className="stroke-current" strokeWidth="1.5" strokeLinejoin="round">
              <rect x="1" y="1" width="22" height="14" rx="2" />
              <path d="M1 5h22M4 11h6" />
            </g>
          </svg>
          {card}
        </li>
      ))}
    </ul>
  );
}
