/** The part of autocannon that is used here; the package has no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  export interface Client {
    conn: Socket;
  }
  export interface Totals {
    errors: number;
    timeouts: number;
    non2xx: number;
  }
  export interface Instance extends EventEmitter, PromiseLike<Totals> {
    on(event: 'response', listener: (client: Client, status: number, bytes: number, ms: number) => void): this;
    on(event: 'reqError', listener: (error: Error) => void): this;
    stop(): void;
  }
  export default function autocannon(options: {
    url: string;
    connections: number;
    duration: number;
    sampleInt: number;
  }): Instance;
}
