// The chart of the levels in a browser.

export const REFRESH_SECONDS = 60;
export const DAYS_SHOWN = 3;

// Draws the levels of one gauge. A gap of more than one hour between two readings
// breaks the line, so that nobody takes it for a calm sea.
export function draw(levels: number[], times: Date[]): void {
  for (let i = 1; i < times.length; i++) {
    const gap = times[i].getTime() - times[i - 1].getTime();
    if (gap > 3_600_000) {
      lift();
    }
    line(times[i], levels[i]);
  }
}

// The colour of a level: red above the upper limit of the gauge, blue below the lower
// one, and grey between them.
export function colour(level: number, low: number, high: number): string {
  if (level > high) return "red";
  return level < low ? "blue" : "grey";
}
