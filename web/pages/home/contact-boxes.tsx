import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../forms/field.tsx';

/** The newsletter and contact boxes. Their buttons do nothing, as specified. */
export function ContactBoxes() {
  return (
    <section className="plate md:grid-cols-2">
      <div className="bg-leaf p-6 sm:p-8">
        <h2 className="mb-2 text-xl">Newsletter</h2>
        <p className="mb-6 text-soft">A sample form: it does not subscribe you.</p>
        <Field label="Your email" type="email" autoComplete="email" />
        <Button kind="plain">Subscribe</Button>
      </div>
      <div className="bg-leaf p-6 sm:p-8">
        <h2 className="mb-2 text-xl">Contact</h2>
        <p className="mb-6 text-soft">A sample form: it sends nothing.</p>
        <Field label="Email" type="email" autoComplete="email" />
        <TextArea label="Message" rows={3} />
        <Button kind="plain">Send</Button>
      </div>
    </section>
  );
}
