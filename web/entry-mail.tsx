import { renderToStaticMarkup } from 'react-dom/server';
import type { Letter } from '../contract/mail.ts';
import { LetterDocument } from './mail/letter-document.tsx';

/** Some mail programs lay out tables differently without a doctype, or with the doctype of HTML 5. */
const doctype =
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">';

/** Renders a message as HTML. */
export const writeHtml = (letter: Letter): string =>
  doctype + renderToStaticMarkup(<LetterDocument letter={letter} />);
