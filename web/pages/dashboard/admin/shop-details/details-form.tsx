import { type FormEvent, useState } from 'react';
import {
  type Seller,
  shopDetailsFields,
  type VersionedDetails,
} from '../../../../../contract/admin/shop-details.ts';
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
import { PromiseFields } from './promise-fields.tsx';
import { type DetailsField, detailsLabels, shopDetailsForm, toText } from './shop-details.ts';

type Texts = Readonly<Record<string, string>>;

function fill(name: DetailsField, value: string): void {
  const input = document.getElementById(name);
  if (!input || !isField(input)) return;
  if (!(input instanceof HTMLInputElement && input.type === 'checkbox')) fillField(input, value);
  else if (input.checked !== (value !== '')) input.click();
}

const toTexts = (details: VersionedDetails): Texts =>
  Object.fromEntries(shopDetailsFields.map((field) => [field, toText(details[field])]));

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
  const [typed, setTyped] = useState(posted ?? toTexts(details));
  /** Without scripts, and for restored input, the form does not know which fields the other admin has changed. */
  const [replaced, setReplaced] = useState<readonly DetailsField[]>(
    posted && posted.version !== version ? shopDetailsFields : [],
  );

  /** Updates the fields that this admin has not edited, and shows both versions of the edited ones. */
  async function showConflict(yours: Texts): Promise<void> {
    const now = await getSession().client.call('getShopDetails', {});
    // Restored input is older than the details that the form was opened with.
    const isOlder = yours.version !== String(opened.version);
    for (const field of shopDetailsFields)
      if (yours[field] === toText(opened[field])) fill(field, toText(now[field]));
    setVersion(String(now.version));
    setOpened(now);
    setReplaced(shopDetailsFields.filter((field) => isOlder || now[field] !== opened[field]));
  }

  const describe = (field: DetailsField) => {
    const current = opened[field];
    const value = toText(current);
    return {
      hint: renderFieldHint({
        label: detailsLabels[field],
        setting: isSellerField(field) ? settingNames[field] : '',
        environment: isSellerField(field) ? opened.environment[field] : '',
        value: typeof current === 'boolean' ? (current ? 'Shown' : 'Not shown') : value,
        replaced: replaced.includes(field) && typed[field] !== value,
        onUse: () => fill(field, value),
      }),
      ...form.field(field, value),
    };
  };

  function onInput(event: FormEvent<HTMLFormElement>): void {
    form.props.onInput(event);
    const formData = new FormData(event.currentTarget);
    setTyped(Object.fromEntries(shopDetailsFields.map((name) => [name, getText(formData, name)])));
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
      <PromiseFields describe={describe} />
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

const settingNames: Record<keyof Seller, string> = {
  name: 'SHOP_NAME',
  address: 'SHOP_ADDRESS',
  taxId: 'SHOP_TAX_ID',
};
const isSellerField = (field: DetailsField): field is keyof Seller => field in settingNames;
