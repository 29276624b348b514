import { sourceNetwork } from "./source-network.ts";

/** Limits the number of open connections per remote address. */
export interface AddressLimit {
  /**
   * Counts a new connection. Returns a function to call when the connection closes, or undefined if the address already has the maximum
   * number.
   */
  open(address: string): (() => void) | undefined;
}

/**
 * Creates a limit on the number of open connections per remote address. Loopback addresses are exempt, because a proxy on the same machine
 * uses them for all of its clients. IPv6 connections are counted per /64 network, because a single client usually controls a whole one.
 */
export function createAddressLimit(most: number, isFree: (address: string) => boolean = isLoopback): AddressLimit {
  const counts = new Map<string, number>();
  return {
    open(address) {
      if (isFree(address)) return () => undefined;
      const key = sourceNetwork(address);
      const count = counts.get(key) ?? 0;
      if (count >= most) return undefined;
      counts.set(key, count + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
  };
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
