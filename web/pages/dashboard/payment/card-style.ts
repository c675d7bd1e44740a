/** The style of the provider's card field. Our style sheet does not apply inside its frame, so read the colours. */
export function readCardStyle() {
  const probe = document.body.appendChild(document.createElement('span'));
  const color = (token: string) => {
    probe.style.color = `var(--color-${token})`;
    return getComputedStyle(probe).color;
  };
  const style = {
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
  return style;
}
