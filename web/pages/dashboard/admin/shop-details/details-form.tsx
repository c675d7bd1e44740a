import { useState } from 'react';
import { useRevalidator, useSearchParams } from 'react-router';
import type { ShopDetails, VersionedDetails } from '../../../../../contract/admin/shop-details.ts';
import { parseNumber } from '../../../../../contract/fields.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { isEditConflict } from '../../../../client/api/api-errors.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { HiddenFields } from '../../../../forms/fields/hidden-fields.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm } from '../../../../forms/use-rejected-form.ts';
import { useShopForm } from '../../../../forms/use-shop-form.ts';
import { renderFieldHint } from './field-hint.tsx';
import { shopDetailsForm } from './shop-details.ts';

type FieldName = keyof ShopDetails;
const fieldNames = ['name', 'address', 'taxId'] as const satisfies FieldName[];

/** If another admin has saved in the meantime, the form keeps the typed values and shows the saved ones beside them. */
export function DetailsForm({ viewer, details }: { viewer: Viewer; details: VersionedDetails }) {
  const rejected = useRejectedForm(shopDetailsForm.name);
  const form = useShopForm(shopDetailsForm, rejected);
  const { isSubmitting } = form.formState;
  const wasOutdated = rejected !== undefined && rejected.values.version !== String(details.version);
  /** The details that the form was opened with, or that were shown after a conflict. */
  const [opened, setOpened] = useState(details);
  /** Without scripts, and for restored input, the form does not know which fields the other admin has changed. */
  const [replaced, setReplaced] = useState<readonly FieldName[]>(wasOutdated ? fieldNames : []);
  const [search] = useSearchParams();
  const [saved, setSaved] = useState(search.get('done') === shopDetailsForm.doneCode && !rejected);
  const { revalidate } = useRevalidator();
  const toast = useToast();
  const draft = useDraft(viewer.email);
  const typed = form.watch();

  /** Updates the fields that were not edited here, and shows both versions of the others. */
  async function showConflict(yours: ShopDetails): Promise<void> {
    const now = await getSession().client.call('getShopDetails', {});
    // Restored input is older than the details that the form was opened with.
    const isOlder = form.getValues('version') !== opened.version;
    for (const field of fieldNames) if (yours[field] === opened[field]) form.setValue(field, now[field]);
    form.setValue('version', now.version);
    setOpened(now);
    setReplaced(fieldNames.filter((field) => isOlder || now[field] !== opened[field]));
  }

  const send = form.handleSubmit(async (values) => {
    setSaved(false);
    try {
      const { version } = await shopDetailsForm.send(getSession(), values);
      toast('Shop details saved.');
      form.setValue('version', version);
      setOpened({ ...opened, ...values, version });
      setReplaced([]);
      setSaved(true);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      if (isEditConflict(error)) await showConflict(values).catch(() => {});
      form.showError(error);
      return;
    }
    await revalidate();
  });

  const getTyped = (field: FieldName) => typed[field] ?? rejected?.values[field] ?? opened[field];
  const describe = (field: FieldName) => ({
    hint: renderFieldHint({
      ...labels[field],
      environment: opened.environment[field],
      value: opened[field],
      replaced: replaced.includes(field) && getTyped(field) !== opened[field],
      onUse: () => form.setValue(field, opened[field]),
    }),
    ...form.field(field, opened[field]),
  });

  return (
    <form
      ref={draft.ref}
      method="post"
      noValidate
      onSubmit={send}
      onInput={() => setSaved(false)}
      className="max-w-form"
    >
      <FormHead form={form} draft={draft} viewer={viewer} keepsInput />
      <HiddenFields form={{ name: shopDetailsForm.name, viewer }} />
      {/* Kept with the input: if another admin has saved since, the conflict is shown. */}
      <input
        type="text"
        hidden
        data-draft="always"
        autoComplete="off"
        {...form.register('version', { setValueAs: parseNumber })}
        defaultValue={opened.version}
      />
      <Field label="Name" maxLength={100} autoComplete="organization" {...describe('name')} />
      <TextArea label="Address (optional)" rows={5} maxLength={500} {...describe('address')} />
      <Field label="Tax number (optional)" maxLength={50} autoComplete="off" {...describe('taxId')} />
      <p className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button type="submit" busy={isSubmitting}>
          Save details
        </Button>
        {saved && <StatusBadge tone="done">Saved</StatusBadge>}
      </p>
    </form>
  );
}

const labels: Record<FieldName, { label: string; setting: string }> = {
  name: { label: 'Name', setting: 'SHOP_NAME' },
  address: { label: 'Address', setting: 'SHOP_ADDRESS' },
  taxId: { label: 'Tax number', setting: 'SHOP_TAX_ID' },
};
