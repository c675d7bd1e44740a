import { useEffect, useRef } from 'react';

type Props = {
  /** Errors in form order; `id` is the field's. */
  errors: { id: string; message: string }[];
  /** The summary takes the focus each time this changes. */
  submitCount: number;
};

/** A list of a form's errors, each a link to its field. */
export function ErrorSummary({ errors, submitCount }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const hasErrors = errors.length > 0;
  useEffect(() => {
    if (hasErrors && submitCount) box.current?.focus();
  }, [hasErrors, submitCount]);
  if (!hasErrors) return null;
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
              className="inline-flex min-h-11 items-center text-ruby underline sm:min-h-0"
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
