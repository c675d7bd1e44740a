import { createContactLink } from '../../../components/contact-link.ts';
import { Email } from '../email.tsx';

/** A customer's email address and phone number, each on a line of its own. A deleted account has neither. */
export function ContactLinks({ email, phone }: { email: string; phone: string }) {
  return (
    <>
      <EmailLink email={email} />
      <span className="block">
        <PhoneLink phone={phone} />
      </span>
    </>
  );
}

/** A customer's email address, or that the account was deleted. */
export function EmailLink({ email }: { email: string }) {
  if (!email) return <span className="block text-soft">Account deleted</span>;
  return (
    <span className="block">
      <a
        href={createContactLink('mailto', email)}
        aria-label={email}
        className="link py-0.5 max-sm:link-alone"
      >
        <Email>{email}</Email>
      </a>
    </span>
  );
}

export function PhoneLink({ phone, className = '' }: { phone: string; className?: string }) {
  if (!phone) return null;
  return (
    <a href={createContactLink('tel', phone)} className={`link py-0.5 max-sm:link-alone ${className}`}>
      {phone}
    </a>
  );
}
