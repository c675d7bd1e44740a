import { useEffect, useRef } from 'react';

type Props = {
  /** What is wrong, in the order of the form; `id` is the field's. */
  errors: { id: string; message: string }[];
  /** Grows with every try, so that the summary takes the focus anew. */
  tries: number;
};

/** Over a form that cannot be sent: everything that is wrong with it, each a link to its field. */
export function ErrorSummary({ errors, tries }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const shown = errors.length > 0;
  useEffect(() => {
    if (shown && tries) box.current?.focus();
  }, [shown, tries]);
  if (!shown) return null;
  return (
    <div ref={box} tabIndex={-1} role="alert" className="mb-6 border-l-4 border-ruby bg-leaf px-4 py-3">
      <p className="mb-1 font-medium">
        {errors.length === 1
          ? 'One thing is missing or wrong:'
          : `${errors.length} things are missing or wrong:`}
      </p>
      <ul>
        {errors.map(({ id, message }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              className="text-ruby underline"
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(id)?.focus();
              }}
            >
              {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
