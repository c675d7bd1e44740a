import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../forms/field.tsx';
import { useSettings } from '../../shop.tsx';

/**
 * The newsletter and contact boxes. The document has their forms if the shopkeeper has set them up (`document.ts`); otherwise
 * the buttons belong to no form and do nothing, as specified. This and the texts in the settings save script.
 */
export function ContactBoxes() {
  const [newsletterText, contactText] = useSettings().boxes;
  return (
    <section className="plate md:grid-cols-2">
      <div className="bg-leaf p-6 sm:p-8">
        <h2 className="mb-2 text-xl">Newsletter</h2>
        <p className="mb-6 text-soft">{newsletterText}</p>
        <Field label="Your email" type="email" autoComplete="email" name="email" id="to" form="newsletter" />
        <Button kind="plain" type="submit" form="newsletter">
          Subscribe
        </Button>
      </div>
      <div className="bg-leaf p-6 sm:p-8">
        <h2 className="mb-2 text-xl">Contact</h2>
        <p className="mb-6 text-soft">{contactText}</p>
        <Field label="Email" type="email" autoComplete="email" name="email" form="contact" />
        <TextArea label="Message" rows={3} name="message" form="contact" />
        <Button kind="plain" type="submit" form="contact">
          Send
        </Button>
      </div>
    </section>
  );
}
