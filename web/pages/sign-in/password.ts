import { z } from 'zod';

/** The specified rules. The server also rejects the most common passwords. */
export const password = z.string().min(1, 'Password is Required').min(6, 'Must be 6 characters or longer');

export const passwordHint = 'At least 6 characters; 8 or more are better.';
