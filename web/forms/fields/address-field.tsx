import type { ComponentProps } from 'react';
import { TextArea } from './field.tsx';

/** A multi-line postal address. */
export function AddressField(props: ComponentProps<typeof TextArea>) {
  return <TextArea rows={3} name="address" maxLength={300} autoComplete="street-address" {...props} />;
}
