/** Returns whether a server reports that it is ready. */
export async function isReady(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5000) });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
