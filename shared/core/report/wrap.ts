/** Breaks a line at spaces so that none is wider than `width` (but for longer words); what follows is indented by two. */
export function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > width && current.trim() !== '') {
      lines.push(current);
      current = `  ${word}`;
    } else current = longer;
  }
  return [...lines, current];
}
