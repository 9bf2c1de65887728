import { objectMember, textMember, type JsonObject } from './json-value.ts';
import type { ReplyText } from './reply-text.ts';

/**
 * Reads the events of a `responses` stream into the text of the reply (test/cases/README.md, 1.5). Events that repeat
 * text (`*.done`) and unknown ones are ignored. Failures are in-band errors and never come here.
 */
export class ResponsesDeltas {
  private readonly reply: ReplyText;
  private owesBreak = false;

  constructor(reply: ReplyText) {
    this.reply = reply;
  }

  /** @returns the finish reason when this event ends the stream, else `''` */
  read(event: JsonObject): string {
    switch (event['type']) {
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.addReasoning(textMember(event, 'delta'));
        return '';
      case 'response.reasoning_summary_part.added':
        this.owesBreak = this.reply.hasReasoning;
        return '';
      case 'response.output_text.delta':
        this.reply.addContent(textMember(event, 'delta'));
        return '';
      case 'response.refusal.delta':
        this.reply.addRefusal(textMember(event, 'delta'));
        return '';
      case 'response.completed':
        return 'stop';
      case 'response.incomplete':
        return incompleteReason(event);
      default:
        return '';
    }
  }

  private addReasoning(text: string): void {
    if (text === '') return;
    this.reply.addReasoning(this.owesBreak ? `\n\n${text}` : text);
    this.owesBreak = false;
  }
}

function incompleteReason(event: JsonObject): string {
  const details = objectMember(objectMember(event, 'response'), 'incomplete_details');
  return details['reason'] === 'content_filter' ? 'content_filter' : 'length';
}
