type Tone = 'done' | 'open' | 'wrong';

const tones: Record<Tone, { sign: string; color: string }> = {
  done: { sign: '●', color: 'text-verdigris' },
  open: { sign: '○', color: 'text-brass' },
  wrong: { sign: '◆', color: 'text-ruby' },
};

/** A state as a word with a shape; never colour alone. */
export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  const { sign, color } = tones[tone];
  return (
    <span className={`inline-flex items-baseline gap-1.5 font-medium ${color}`}>
      <span aria-hidden="true" className="text-xs">
        {sign}
      </span>
      <span>{children}</span>
    </span>
  );
}
