import type { ComponentProps } from 'react';
import { Field } from '../../../../forms/fields/field.tsx';

type FormField = Omit<ComponentProps<typeof Field>, 'label'>;

type Props = { categories: string[]; category: FormField; lowStock: FormField };

/** The optional category, with those of other products as suggestions, and the low-stock threshold. */
export function CatalogueFields({ categories, category, lowStock }: Props) {
  return (
    <div className="field-row sm:grid-cols-2">
      <Field
        label="Category (optional)"
        hint="Customers see it."
        maxLength={60}
        autoComplete="off"
        list="categories"
        {...category}
      />
      <datalist id="categories">
        {categories.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field
        label="Low-stock threshold (optional)"
        hint="Only admins see it."
        inputMode="numeric"
        autoComplete="off"
        {...lowStock}
      />
    </div>
  );
}
