import { request } from 'node:https';
import { connect } from 'node:net';

/** True if something listens on this port of 127.0.0.1. */
export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * True if the API server answers `/readyz` with 200. The certificate is not checked, because the
 * server writes it during the start.
 */
export function answersReady(server: string, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      rejectUnauthorized: false,
      agent: false,
      timeout: 2_000,
      headers: { authorization: `Bearer ${token}` },
    };
    const asked = request(`${server}/readyz`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
