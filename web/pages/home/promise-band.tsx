import { usePromises } from '../../shop.tsx';

/** The owner's promises about delivery, returns and the guarantee. Nothing without promises. */
export function PromiseBand() {
  const promises = usePromises();
  return (
    promises && (
      <ul
        aria-label="What we promise"
        className="grid gap-x-6 gap-y-2 border-x border-b border-rule p-6 text-center font-serif sm:flex sm:justify-between"
      >
        {promises.map(({ name, text }) => (
          <li key={name}>{text}</li>
        ))}
      </ul>
    )
  );
}
