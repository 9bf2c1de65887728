import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** What is unpacked is handed on with each read, and a body that ends early keeps what had arrived. */
const zlibOptions = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotliOptions = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/**
 * The body of a response as it was before a proxy compressed it: some do although none was asked for. A body that is
 * not what its header says, and a connection that breaks, fail the stream; destroying it closes the connection.
 */
export function decompressBody(message: IncomingMessage): Readable {
  const decompressor = createDecompressor(message.headers['content-encoding']);
  // Without a callback a failure would be thrown; the reader hears of it from the stream itself.
  return decompressor === undefined ? message : pipeline(message, decompressor, () => undefined);
}

/** Whether a body failed for what it holds: zlib's own errors, and brotli's. Connections fail with other codes. */
export function isUndecodable(error: Error): boolean {
  return 'code' in error && /^(?:Z_|ERR__|ERR_BR)/.test(String(error.code));
}

function createDecompressor(encoding = ''): Duplex | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(zlibOptions);
    case 'deflate':
      return createInflate(zlibOptions);
    case 'br':
      return createBrotliDecompress(brotliOptions);
    default:
      return undefined;
  }
}
