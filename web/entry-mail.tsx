import { render } from '@react-email/render';
import type { Letter } from '../contract/mail.ts';
import { LetterDocument } from './mail/letter-document.tsx';

/** Renders a message as HTML. */
export const writeHtml = (letter: Letter): Promise<string> => render(<LetterDocument letter={letter} />);
