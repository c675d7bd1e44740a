import { Button } from '../../components/button.tsx';
import type { OpenForm } from '../use-page-form.tsx';
import { type AddressPrefix, completionSection } from './address-fields.tsx';
import { SelectField } from './select-field.tsx';

type Props = {
  form: OpenForm;
  prefix: AddressPrefix;
  /** The names of the countries by code. */
  options: Record<string, string>;
  initial: string;
  /** Called with the chosen country, whose `AddressFields` the form then shows. */
  onChoose: (country: string) => void;
};

/** The country of an address. Another one has other fields, so the errors of the present fields end. */
export const CountryField = ({ form, prefix, options, initial, onChoose }: Props) => (
  <SelectField
    id={`${prefix}country`}
    label="Country"
    autoComplete={`${completionSection(prefix)}country`}
    options={options}
    onChange={({ currentTarget }) => {
      onChoose(currentTarget.value);
      form.clearErrors(prefix);
    }}
    {...form.field(`${prefix}country`, initial)}
  />
);

/** Without scripts, shows the fields of the chosen country. */
export const CountryStep = () => (
  <noscript>
    <p className="mb-6">
      <Button type="submit" kind="plain" name="step" value="country">
        Show the fields of this country
      </Button>
    </p>
  </noscript>
);
