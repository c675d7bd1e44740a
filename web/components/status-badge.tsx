import { Icon } from './layout/icon.tsx';

const tones = { done: 'text-verdigris', open: 'text-brass', wrong: 'text-ruby' };

/** A status as a word, a shape and a colour. */
export function StatusBadge({ tone, children }: { tone: keyof typeof tones; children: string }) {
  return (
    <span className={`inline-flex items-baseline gap-1.5 font-medium ${tones[tone]}`}>
      <Icon name={tone} />
      <span>{children}</span>
    </span>
  );
}
