import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { weekDays } from './draft.ts';

const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

type Props = { chosen: readonly number[]; error: string | undefined };

/** The days on which parcels are sent. */
export function WorkingDays({ chosen, error }: Props) {
  return (
    <fieldset className="min-w-0" aria-describedby={error ? 'workingDays-error' : undefined}>
      <legend className="mb-1.5 text-sm font-medium">Working days</legend>
      <div className="flex flex-wrap gap-x-5">
        {weekDays.map((day, index) => (
          <label key={day} className="flex min-h-11 items-center gap-2 text-sm">
            <input
              type="checkbox"
              id={index === 0 ? 'workingDays' : undefined}
              name={`workingDays.${day}`}
              value="true"
              defaultChecked={chosen.includes(day)}
              className="size-5 shrink-0"
            />
            {names[index]}
          </label>
        ))}
      </div>
      {error && <ErrorMessage id="workingDays-error">{error}</ErrorMessage>}
    </fieldset>
  );
}
