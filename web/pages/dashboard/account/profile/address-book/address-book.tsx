import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { emptyAddress, maxAddresses } from '../../../../../../contract/delivery/address-format.ts';
import type { Viewer } from '../../../../../../contract/pages.ts';
import { ButtonLink } from '../../../../../components/button.tsx';
import { Notice } from '../../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../../components/feedback/toast.tsx';
import { Link } from '../../../../../components/link.tsx';
import { HiddenFields } from '../../../../../forms/fields/hidden-fields.tsx';
import { getFirstMessage } from '../../../../../forms/form-results.ts';
import { useButtonForm } from '../../../../../forms/use-button-form.ts';
import { useRejectedForm } from '../../../../../forms/use-rejected-form.ts';
import { profilePath } from '../account-path.ts';
import { AddressForm } from './address-form.tsx';
import { addressForm, prefix, removeAddressForm } from './forms.ts';
import type { AddressBookData } from './load-address-book.ts';

/** The addresses that the checkout offers, with a form that adds or changes one of them (`?address=`). */
export function AddressBook({ viewer, book }: { viewer: Viewer; book: AddressBookData }) {
  const { addresses, countries, shipsFrom, formKey } = book;
  const [search] = useSearchParams();
  const heading = useRef<HTMLHeadingElement>(null);
  const posted = useRejectedForm(addressForm.name);
  /** The address whose form was rejected: its id, or 'new'. The form stays, even if the address or the room for it is gone. */
  const [rejected, setRejected] = useState(posted && (posted.values.id || 'new'));
  const rejectedRemoval = useRejectedForm(removeAddressForm.name);
  const isFull = addresses.length >= maxAddresses;
  const wanted = search.get('address') ?? rejected;
  const edited = addresses.find(({ _id }) => _id === wanted);
  const hasForm =
    wanted !== undefined && (wanted === rejected || edited !== undefined || (wanted === 'new' && !isFull));
  const shown = hasForm ? wanted : undefined;
  const focusHeading = () => heading.current?.focus();
  const opened = useRef(shown);
  useEffect(() => {
    // The link is gone, or the form is far below it.
    if (shown && shown !== opened.current) document.getElementById(`${prefix}country`)?.focus();
    opened.current = shown;
  }, [shown]);

  return (
    <section aria-labelledby="addresses" className="mt-16 border-t-2 border-edge pt-6">
      <h2 id="addresses" ref={heading} tabIndex={-1} className="mb-2 text-2xl">
        Address book
      </h2>
      <p className="mb-6 max-w-text text-soft">
        {`Save up to ${maxAddresses} addresses to choose from at the checkout. Changes do not affect orders already placed.`}
      </p>
      {!rejected && search.get('done') === addressForm.name && <Notice done>Address saved.</Notice>}
      {!rejectedRemoval && search.get('done') === removeAddressForm.name && (
        <Notice done>Address removed.</Notice>
      )}
      {rejectedRemoval && (
        <Notice error noFocus>
          {getFirstMessage(rejectedRemoval)}
        </Notice>
      )}
      {addresses.length > 0 && (
        <ul className="mb-6 grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
          {addresses.map(({ _id, address, lines }) => (
            <li key={_id} className="border-t border-rule pt-3">
              <p className="mb-2 whitespace-pre-line wrap-anywhere">
                {[...lines, address.phone].filter(Boolean).join('\n')}
              </p>
              <div className="flex flex-wrap items-center gap-x-6">
                <Link to={`?address=${_id}`} preventScrollReset className="link link-alone text-sm">
                  Change<span className="sr-only">{` ${lines.join(', ')}`}</span>
                </Link>
                <RemoveAddress id={_id} viewer={viewer} label={lines.join(', ')} onDone={focusHeading} />
              </div>
            </li>
          ))}
        </ul>
      )}
      {hasForm ? (
        <AddressForm
          key={wanted}
          viewer={viewer}
          id={wanted === 'new' ? '' : wanted}
          initial={
            edited?.address ?? { ...emptyAddress, name: viewer.name, country: shipsFrom, phone: viewer.phone }
          }
          countries={countries}
          formKey={wanted === 'new' ? formKey : ''}
          onRejected={() => setRejected(wanted)}
          onClose={() => {
            setRejected(undefined);
            focusHeading();
          }}
        />
      ) : isFull ? (
        <p className="text-soft">Your address book is full. Remove an address to add another one.</p>
      ) : (
        <ButtonLink kind="plain" to="?address=new" preventScrollReset>
          Add an address
        </ButtonLink>
      )}
    </section>
  );
}

type RemoveProps = { id: string; viewer: Viewer; label: string; onDone: () => void };

function RemoveAddress({ id, viewer, label, onDone }: RemoveProps) {
  const toast = useToast();
  const form = useButtonForm(removeAddressForm, {
    viewer,
    onDone() {
      toast('Address removed.');
      onDone();
    },
  });
  return (
    <form {...form.props} action={`${profilePath}#addresses`}>
      <HiddenFields form={form} />
      <input type="hidden" name="id" value={id} />
      <button type="submit" disabled={form.isBusy} className="link link-alone cursor-pointer text-sm">
        Remove<span className="sr-only">{` ${label}`}</span>
      </button>
    </form>
  );
}
