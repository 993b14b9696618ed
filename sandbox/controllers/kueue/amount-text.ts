/** An amount as Kueue prints it (pkg/resources): `500m` or `2` of cpu, `1Gi` of memory, the number of anything else. */
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** `amount` in thousandths of cpu, else in whole units. */
export function amountText(resource: string, amount: number): string {
  if (resource === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  if (resource !== 'memory' && resource !== 'ephemeral-storage') return String(amount);
  let value = amount;
  let unit = 0;
  while (value !== 0 && value % 1024 === 0 && unit < binary.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value}${binary[unit]}`;
}
