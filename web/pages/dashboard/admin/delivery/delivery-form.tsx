import { type FormEvent, Fragment, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isDeliverySetUp } from '../../../../../contract/delivery/rates.ts';
import type { Shipping } from '../../../../../contract/delivery/shipping-rates.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { isEditConflict } from '../../../../client/api/api-errors.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { fillField } from '../../../../forms/dom-fields.ts';
import { DefaultButton } from '../../../../forms/fields/default-button.tsx';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { describedBy } from '../../../../forms/fields/field.tsx';
import { getText } from '../../../../forms/page-form.ts';
import { readSubmitted } from '../../../../forms/submitted.ts';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { addIds, type DeliveryDraft, readDraft, toDraft, toValues, toZones } from './draft.ts';
import { OtherVersion } from './other-version.tsx';
import { Preview } from './preview.tsx';
import { SendingFields } from './sending-fields.tsx';
import { shippingForm } from './shipping-form.ts';
import { StartingPointButtons } from './starting-point-buttons.tsx';
import { StepButton } from './step-button.tsx';
import { applyStep } from './steps.ts';
import { CountryOptions, ZoneFields } from './zone-fields.tsx';

type Props = {
  viewer: Viewer;
  shipping: Shipping;
  /** The names of the countries by code, in alphabetical order. */
  countries: Record<string, string>;
  /** The currency that the shop charges. */
  currency: string;
};

const readForm = (form: HTMLFormElement, countries: Props['countries']): DeliveryDraft =>
  readDraft(
    Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)])),
    countries,
  );

/** Stores the value of a field in which the user has typed. A form has no value of a checkbox that is not ticked. */
function storeValue(values: Record<string, string>, field: EventTarget): void {
  if (field instanceof HTMLInputElement && field.type === 'checkbox' && !field.checked)
    delete values[field.name];
  else if (
    field instanceof HTMLInputElement ||
    field instanceof HTMLSelectElement ||
    field instanceof HTMLTextAreaElement
  )
    values[field.name] = field.value;
}

/**
 * The form for zones and rates. The fields keep what is typed; a step, such as adding a rate, reads them and renders all fields
 * anew, in the browser as on the server. If another admin has saved in the meantime, the form shows that version, and its next
 * submit replaces it.
 */
export function DeliveryForm({ viewer, shipping, countries, currency }: Props) {
  const toast = useToast();
  const form = usePageForm(shippingForm, {
    viewer,
    async onRejected({ error }) {
      if (isEditConflict(error)) await showConflict().catch(() => {});
    },
    onDone(saved) {
      toast('Delivery saved.');
      continueFrom(toDraft(saved, currency));
    },
  });
  const posted = form.rejectedValues;
  const [saved, setSaved] = useState(() => toDraft(shipping, currency));
  const [draft, setDraft] = useState(() =>
    posted ? { ...readDraft(posted, countries), version: saved.version } : saved,
  );
  /** The content of the fields. */
  const [typed, setTyped] = useState(draft);
  /** Counts the times that all fields were rendered anew. */
  const [revision, setRevision] = useState(0);
  const [other, setOther] = useState(
    posted && posted.version !== saved.version && posted.version !== undefined ? shipping : undefined,
  );
  const sent = useRef('');
  /** The fields by name. Reading all of them from the form at each key would take longer than the key. */
  const values = useRef<Record<string, string>>({});
  /** Contains the whole form as JSON, so that a draft can restore zones and rates that were added. */
  const kept = useRef<HTMLInputElement>(null);
  const savedText = useMemo(() => JSON.stringify(saved), [saved]);

  useEffect(() => {
    if (kept.current) kept.current.value = JSON.stringify(draft);
    setTyped(draft);
    values.current = toValues(draft);
  }, [draft]);
  // After each rendering: React resets the default to the empty one, which keeps the text out of the HTML.
  useEffect(() => {
    if (kept.current) kept.current.defaultValue = savedText;
  });

  /** Renders all fields with these texts, which count as typed. */
  function fill(next: DeliveryDraft): void {
    if (kept.current) fillField(kept.current, JSON.stringify(next));
  }

  const read = (): DeliveryDraft =>
    form.draft.ref.current ? readForm(form.draft.ref.current, countries) : typed;

  async function showConflict(): Promise<void> {
    const now = await getSession().client.call('getShipping', {});
    setOther(now);
    fill({ ...read(), version: String(now.version) });
  }

  /** After saving, keeps what was typed meanwhile. */
  function continueFrom(now: DeliveryDraft): void {
    const current = read();
    const isEdited = JSON.stringify(current) !== sent.current;
    setSaved(now);
    setDraft(isEdited ? addIds(current, now) : now);
    setRevision((count) => count + 1);
    setOther(undefined);
  }

  function onInput(event: FormEvent<HTMLFormElement>): void {
    form.props.onInput(event);
    if (event.target === kept.current) {
      const next: DeliveryDraft = JSON.parse(kept.current.value || JSON.stringify(saved));
      setDraft(next);
      setRevision((count) => count + 1);
      return;
    }
    storeValue(values.current, event.target);
    const now = readDraft(values.current, countries);
    if (kept.current) kept.current.value = JSON.stringify(now);
    setTyped(now);
  }

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    const step = getText(readSubmitted(event), 'step');
    const current = readForm(event.currentTarget, countries);
    if (!step) {
      sent.current = JSON.stringify(current);
      form.props.onSubmit(event);
      return;
    }
    event.preventDefault();
    const { nativeEvent } = event;
    const button = nativeEvent instanceof SubmitEvent ? nativeEvent.submitter : null;
    const target = button instanceof HTMLButtonElement ? new URL(button.formAction).hash.slice(1) : '';
    // The places of zones and rates may change.
    for (const { id } of form.listErrors()) form.clearError(id);
    flushSync(() => fill(applyStep(current, step, currency)));
    document.getElementById(target)?.focus();
  }

  const { zones, hasExamples } = draft;
  const errors = form.rejected?.errors;
  // Typing renders only the rest of the page: 200 zones take a second.
  const zoneFields = useMemo(
    () =>
      draft.zones.map((zone, at) => (
        <ZoneFields
          // biome-ignore lint/suspicious/noArrayIndexKey: steps render all fields anew.
          key={at}
          at={at}
          count={draft.zones.length}
          zone={zone}
          hasExamples={draft.hasExamples}
          currency={currency}
          countries={countries}
          describe={(name, value) => ({ name, defaultValue: value, error: errors?.[name] })}
        />
      )),
    [draft, errors, currency, countries],
  );
  const isEmpty = zones.length === 0;
  // The preview may follow a keystroke later.
  const previewed = useDeferredValue(typed);
  const preview = useMemo(
    () => (
      <Preview
        zones={toZones(previewed)}
        countries={countries}
        shipsFrom={previewed.shipsFrom}
        currency={currency}
      />
    ),
    [previewed, countries, currency],
  );
  return (
    <div className="grid gap-x-10 gap-y-10 xl:grid-cols-[1fr_18rem]">
      <form {...form.props} onInput={onInput} onSubmit={onSubmit} className="min-w-0">
        <DefaultButton />
        <FormStart form={form} keepsInput />
        {other && <OtherVersion shipping={other} countries={countries} />}
        <input type="text" hidden ref={kept} name="kept" autoComplete="off" defaultValue="" />
        <input type="hidden" name="version" value={draft.version} />
        <input type="hidden" name="currency" value={currency} />
        {hasExamples && <input type="hidden" name="hasExamples" value="true" />}
        {isEmpty && <StartingPointButtons />}
        <Fragment key={revision}>
          {hasExamples && (
            <Notice>
              <span className="font-medium">These are examples, not real prices.</span>
              {
                ' Replace each price, free-from amount and number of days with your own, and compare the postcodes with your carrier’s list. Then save.'
              }
            </Notice>
          )}
          {!isEmpty && <SendingFields draft={draft} errors={errors} countries={countries} />}
          {isEmpty && (
            <>
              <input type="hidden" name="shipsFrom" value={draft.shipsFrom} />
              <input type="hidden" name="cutOff" value={draft.cutOff} />
              <input type="hidden" name="holidays" value={draft.holidays} />
              <input type="hidden" name="closed" value={draft.closed} />
              {draft.workingDays.map((day) => (
                <input key={day} type="hidden" name={`workingDays.${day}`} value="true" />
              ))}
            </>
          )}
          <section aria-labelledby="zones">
            <h2 id="zones" tabIndex={-1} className="mb-2 text-2xl">
              Zones and rates
            </h2>
            <p className="mb-6 max-w-text text-soft">
              A zone is a part of the world with the same rates. Customers in countries that are in no zone
              cannot order.
            </p>
            <CountryOptions countries={countries} />
            {zoneFields}
            <StepButton id="add-zone" step="add-zone" goTo={`zones.${zones.length}.name`}>
              {isEmpty ? 'Add a zone yourself' : 'Add a zone'}
            </StepButton>
          </section>
          {hasExamples && <ExamplesChecked error={form.messageOf('examplesChecked')} />}
        </Fragment>
        {(!isEmpty || saved.zones.length > 0) && (
          <p className="bottom-bar sticky bottom-0 z-20 mt-8 flex flex-wrap items-center gap-x-6 gap-y-2 border border-edge bg-leaf px-4 py-3">
            <Button type="submit" busy={form.isBusy}>
              Save delivery
            </Button>
            {form.isDone && <StatusBadge tone="done">Saved</StatusBadge>}
            {!isDeliverySetUp(typed) && (
              <span className="text-sm text-soft">
                Without a rate, customers are not charged for delivery.
              </span>
            )}
          </p>
        )}
      </form>
      {!isEmpty && preview}
    </div>
  );
}

function ExamplesChecked({ error }: { error: string | undefined }) {
  return (
    <div className="mt-8">
      <label className="flex min-h-11 items-center gap-3">
        <input
          type="checkbox"
          id="examplesChecked"
          name="examplesChecked"
          value="true"
          className="size-5 shrink-0"
          {...describedBy('examplesChecked', undefined, error)}
        />
        I have checked every price and number of days
      </label>
      {error && <ErrorMessage id="examplesChecked-error">{error}</ErrorMessage>}
    </div>
  );
}
