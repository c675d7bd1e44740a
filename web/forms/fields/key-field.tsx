type Props = { value: string; onChange: (key: string) => void };

/** A form's idempotency key. A draft keeps it with the input, so that a request whose response was lost is not sent again. */
export const KeyField = ({ value, onChange }: Props) => (
  <input
    type="text"
    hidden
    data-draft="always"
    autoComplete="off"
    name="key"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
);
