import { type FormEvent, useState } from 'react';
import type { ShopDetails, VersionedDetails } from '../../../../../contract/admin/shop-details.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { isEditConflict } from '../../../../client/api/api-errors.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { fillField, isField } from '../../../../forms/dom-fields.ts';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { getText } from '../../../../forms/page-form.ts';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { renderFieldHint } from './field-hint.tsx';
import { shopDetailsForm } from './shop-details.ts';

type FieldName = keyof ShopDetails;
const fieldNames = ['name', 'address', 'taxId', 'synonyms'] as const satisfies FieldName[];

function fill(name: FieldName, value: string): void {
  const input = document.getElementById(name);
  if (input && isField(input)) fillField(input, value);
}

/** If another admin has saved in the meantime, the form keeps the typed values and shows the saved ones beside them. */
export function DetailsForm({ viewer, details }: { viewer: Viewer; details: VersionedDetails }) {
  /** The stored details that the form shows: those that it was opened with or, after a conflict, the current ones. */
  const [opened, setOpened] = useState(details);
  const [version, setVersion] = useState(String(details.version));
  const toast = useToast();
  const form = usePageForm(shopDetailsForm, {
    viewer,
    async onRejected({ error, values }) {
      // If the saved details cannot be loaded, the error stays, and the next attempt gets the conflict again.
      if (isEditConflict(error)) await showConflict(values).catch(() => {});
    },
    onDone(saved) {
      toast('Shop details saved.');
      setVersion(String(saved.version));
      setOpened((before) => ({ ...before, ...saved }));
      setReplaced([]);
    },
  });
  const posted = form.rejectedValues;
  const [typed, setTyped] = useState<Partial<ShopDetails>>(posted ?? details);
  /** Without scripts, and for restored input, the form does not know which fields the other admin has changed. */
  const [replaced, setReplaced] = useState<readonly FieldName[]>(
    posted && posted.version !== version ? fieldNames : [],
  );

  /** Updates the fields that this admin has not edited, and shows both versions of the edited ones. */
  async function showConflict(yours: Readonly<Record<string, string>>): Promise<void> {
    const now = await getSession().client.call('getShopDetails', {});
    // Restored input is older than the details that the form was opened with.
    const isOlder = yours.version !== String(opened.version);
    for (const field of fieldNames) if (yours[field] === opened[field]) fill(field, now[field]);
    setVersion(String(now.version));
    setOpened(now);
    setReplaced(fieldNames.filter((field) => isOlder || now[field] !== opened[field]));
  }

  const describe = (field: FieldName) => ({
    hint: renderFieldHint({
      ...labels[field],
      environment: field === 'synonyms' ? '' : opened.environment[field],
      value: opened[field],
      replaced: replaced.includes(field) && typed[field] !== opened[field],
      onUse: () => fill(field, opened[field]),
    }),
    ...form.field(field, opened[field]),
  });

  function onInput(event: FormEvent<HTMLFormElement>): void {
    form.props.onInput(event);
    const formData = new FormData(event.currentTarget);
    setTyped(Object.fromEntries(fieldNames.map((name) => [name, getText(formData, name)])));
  }

  const synonyms = describe('synonyms');
  return (
    <form {...form.props} onInput={onInput} className="max-w-form">
      <FormStart form={form} keepsInput />
      {/* A draft keeps this version with the input. If another admin has saved since, the shop reports the conflict. */}
      <input
        type="text"
        hidden
        data-draft="always"
        autoComplete="off"
        name="version"
        value={version}
        onChange={(event) => setVersion(event.target.value)}
      />
      <Field label="Name" maxLength={100} autoComplete="organization" {...describe('name')} />
      <TextArea label="Address (optional)" rows={5} maxLength={500} {...describe('address')} />
      <Field label="Tax number (optional)" maxLength={50} autoComplete="off" {...describe('taxId')} />
      <TextArea
        label="Search synonyms (optional)"
        rows={5}
        maxLength={2000}
        spellCheck={false}
        placeholder="magnifier = loupe, eyeglass"
        {...synonyms}
        hint={synonyms.hint ?? 'Other words that a search finds, too: one word on each line.'}
      />
      <p className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button type="submit" busy={form.isBusy}>
          Save details
        </Button>
        {form.isDone && <StatusBadge tone="done">Saved</StatusBadge>}
      </p>
    </form>
  );
}

const labels: Record<FieldName, { label: string; setting: string }> = {
  name: { label: 'Name', setting: 'SHOP_NAME' },
  address: { label: 'Address', setting: 'SHOP_ADDRESS' },
  taxId: { label: 'Tax number', setting: 'SHOP_TAX_ID' },
  synonyms: { label: 'Search synonyms', setting: '' },
};
