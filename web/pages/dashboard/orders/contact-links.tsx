import { createContactLink } from '../../../components/contact-link.ts';

/** A customer's email address and phone number, each on a line of its own. A deleted account has neither. */
export function ContactLinks({ email, phone }: { email: string; phone: string }) {
  if (!email) return <span className="block text-soft">Account deleted</span>;
  return (
    <>
      <span className="block">
        <a href={createContactLink('mailto', email)} className="link max-sm:link-alone">
          {email}
        </a>
      </span>
      {phone && (
        <span className="block">
          <a href={createContactLink('tel', phone)} className="link max-sm:link-alone">
            {phone}
          </a>
        </span>
      )}
    </>
  );
}
