import { startingPoints } from './starting-points.ts';

/** Fills in the form with the usual zones of a country. */
export function StartingPointButtons() {
  return (
    <section aria-labelledby="start" className="mb-10">
      <h2 id="start" className="mb-2 text-xl">
        Start from
      </h2>
      <p className="mb-4 max-w-text text-soft">
        Fills in the form with zones and example prices. Nothing is saved until you have checked them.
      </p>
      <div className="plate sm:grid-cols-2">
        {Object.entries(startingPoints).map(([name, { title, description }]) => (
          <button
            key={name}
            type="submit"
            name="step"
            value={`start ${name}`}
            formAction="#zones"
            className="flex cursor-pointer flex-col bg-leaf p-4 text-left hover:bg-paper"
          >
            <span className="block font-medium text-blued underline">{title}</span>
            <span className="mt-1 block text-sm text-soft">{description}</span>
          </button>
        ))}
      </div>
    </section>
  );
}
