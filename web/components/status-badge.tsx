import { Sign } from './layout/sign.tsx';

const tones = { done: 'text-verdigris', open: 'text-brass', wrong: 'text-ruby' };

/** A state as a word with a shape; never colour alone. */
export function StatusBadge({ tone, children }: { tone: keyof typeof tones; children: string }) {
  return (
    <span className={`inline-flex items-baseline gap-1.5 font-medium ${tones[tone]}`}>
      <Sign name={tone} />
      <span>{children}</span>
    </span>
  );
}
