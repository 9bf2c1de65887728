import { streamError, type StreamError } from './stream-error.ts';

export type StreamStatus = 'complete' | 'length' | 'filtered' | 'aborted' | 'failed';

/**
 * How the bytes ended. `clean`: the body ended, or the reader had what it needed; `reset`: the connection broke;
 * `undecodable`: what came could not be unpacked as its header says;
 * `aborted`: the caller aborted; `idle` and `total`: a timer of ours fired.
 */
export type BodyEnd = 'clean' | 'reset' | 'undecodable' | 'aborted' | 'idle' | 'total';

/** What the status of a stream follows from. */
export interface StreamFacts {
  /** The first error that ended the stream: of the HTTP status, in band, or of an unreadable event. */
  readonly error: StreamError | null;
  /** The body was neither an event stream nor one of the documents that are read in its place. */
  readonly isNoEventStream: boolean;
  readonly finishReason: string | null;
  readonly sawDone: boolean;
  /** No reasoning, answer or refusal text arrived. */
  readonly isEmpty: boolean;
  readonly bodyEnd: BodyEnd;
}

const INTERRUPTED = new Set(['error', 'abort', 'insufficient_system_resource', 'network_error']);
const LENGTH = new Set(['length', 'max_tokens', 'model_length']);
const FILTERED = new Set(['content_filter', 'safety', 'prohibited_content', 'sensitive']);

/** The status of a stream and, exactly when it failed, its error (test/cases/README.md, 1.7, in its order). */
export function streamStatus(facts: StreamFacts): { status: StreamStatus; error: StreamError | null } {
  if (facts.error !== null) return failed(facts.error);
  if (facts.isNoEventStream && facts.bodyEnd === 'clean') {
    return failed(streamError('not_event_stream', { retryable: true }));
  }
  if (facts.finishReason !== null) return statusOfReason(facts.finishReason, facts.isEmpty);
  if (facts.sawDone) return completeUnless(facts.isEmpty);
  return statusOfEnd(facts.bodyEnd);
}

function statusOfReason(finishReason: string, isEmpty: boolean) {
  const reason = finishReason.toLowerCase();
  if (INTERRUPTED.has(reason)) {
    return failed(streamError('provider_interrupted', { retryable: true, code: finishReason }));
  }
  if (LENGTH.has(reason)) return ended('length');
  if (FILTERED.has(reason)) return ended('filtered');
  return completeUnless(isEmpty);
}

function completeUnless(isEmpty: boolean) {
  return isEmpty ? failed(streamError('empty_response', { retryable: true })) : ended('complete');
}

function statusOfEnd(bodyEnd: BodyEnd) {
  switch (bodyEnd) {
    case 'aborted':
      return ended('aborted');
    case 'reset':
      return failed(streamError('connection_reset', { retryable: true }));
    case 'undecodable':
      return failed(streamError('body_undecodable', { retryable: true }));
    case 'idle':
      return failed(streamError('idle_timeout', { retryable: true }));
    case 'total':
      return failed(streamError('total_timeout', { retryable: false }));
    case 'clean':
      return failed(streamError('premature_close', { retryable: true }));
  }
}

function ended(status: Exclude<StreamStatus, 'failed'>): { status: StreamStatus; error: null } {
  return { status, error: null };
}

function failed(error: StreamError): { status: StreamStatus; error: StreamError } {
  return { status: 'failed', error };
}
