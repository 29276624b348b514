import { useEffect, useState } from "react";

const tickMs = 1000;

/** Returns the current time, updated every second while `isTicking` is true. */
export function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
