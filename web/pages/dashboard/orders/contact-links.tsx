import { createContactLink } from '../../../components/contact-link.ts';

/** A customer's email address and phone number, each on a line of its own. */
export function ContactLinks({ email, phone }: { email: string; phone: string }) {
  return (
    <>
      <a href={createContactLink('mailto', email)} className="link block max-sm:link-alone">
        {email}
      </a>
      {phone && (
        <a href={createContactLink('tel', phone)} className="link block max-sm:link-alone">
          {phone}
        </a>
      )}
    </>
  );
}
