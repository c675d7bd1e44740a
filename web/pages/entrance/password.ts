import { z } from 'zod';

/** As the specification has it. The server also refuses the commonest. */
export const password = z.string().min(1, 'Password is Required').min(6, 'Must be 6 characters or longer');

export const passwordHint = 'Six characters at least; eight or more are better.';
