import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../forms/fields/field.tsx';
import { useSettings } from '../../shop.tsx';

/**
 * The newsletter and contact boxes. The forms themselves are in the document (`document.ts`), which saves script. If the shopkeeper
 * has not set up a form, its button does nothing, as specified, and a live shop says so. Buttons submit by default, so leaving out
 * their type saves a few bytes of HTML.
 */
export function ContactBoxes() {
  const { contact, newsletter, unusedForm = 'A sample form.' } = useSettings();
  return (
    <section className="plate md:grid-cols-2">
      <div className="bg-leaf p-6 sm:p-8">
        <h2 className="mb-2 text-xl">Newsletter</h2>
        <p className="mb-6 text-soft">{newsletter ? 'We’ll email you a link to confirm.' : unusedForm}</p>
        <Field label="Your email" type="email" autoComplete="email" name="email" id="to" form="newsletter" />
        <Button kind="plain" type={undefined} form="newsletter">
          Subscribe
        </Button>
      </div>
      <div className="bg-leaf p-6 sm:p-8">
        <h2 className="mb-2 text-xl">Contact</h2>
        <p className="mb-6 text-soft">{contact ? 'We’ll answer by email.' : unusedForm}</p>
        <Field label="Email" type="email" autoComplete="email" name="email" form="contact" />
        <TextArea label="Message" rows={3} name="message" form="contact" />
        <Button kind="plain" type={undefined} form="contact">
          Send
        </Button>
      </div>
    </section>
  );
}
