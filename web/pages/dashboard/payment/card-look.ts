/** The provider's frame knows none of our style sheet: it is told the colours that this page has now, day or night. */
export function cardLook() {
  const probe = document.body.appendChild(document.createElement('span'));
  const color = (token: string) => {
    probe.style.color = `var(--color-${token})`;
    return getComputedStyle(probe).color;
  };
  const look = {
    base: {
      color: color('ink'),
      fontSize: '17px',
      fontFamily: 'system-ui, sans-serif',
      iconColor: color('soft'),
      '::placeholder': { color: color('soft') },
    },
    invalid: { color: color('ruby'), iconColor: color('ruby') },
  };
  probe.remove();
  return look;
}
