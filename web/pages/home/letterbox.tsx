import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../components/field.tsx';

/** The newsletter and contact boxes. Their buttons do nothing, as the specification has it. */
export function Letterbox() {
  return (
    <section className="plate md:grid-cols-2">
      <div className="bg-leaf p-6 sm:p-8">
        <h2 className="mb-2 text-xl">Newsletter</h2>
        <p className="mb-6 text-soft">New tools and sold-out ones that are back, once a month.</p>
        <Field label="Your e-mail" type="email" autoComplete="email" />
        <Button kind="plain">Subscribe</Button>
      </div>
      <div className="bg-leaf p-6 sm:p-8">
        <h2 className="mb-2 text-xl">Contact</h2>
        <p className="mb-6 text-soft">About a tool, an order, or the clock in front of you.</p>
        <Field label="E-mail for our answer" type="email" autoComplete="email" />
        <TextArea label="Message" rows={3} />
        <Button kind="plain">Send</Button>
      </div>
    </section>
  );
}
