/** An age in kubectl's format: `8s`, `5m12s`, `3h4m`, `2d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return `${minutes}m${rest(seconds % 60, 's')}`;
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return `${hours}h${rest(minutes % 60, 'm')}`;
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

function rest(value: number, unit: string): string {
  return value === 0 ? '' : `${value}${unit}`;
}
