import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttackCase, Span } from '../../../producers/attacks/attack.ts';
import { renderMessages, renderViews } from '../../../producers/attacks/spans.ts';

const spans: Span[] = [
  { text: 'Passage: ', injected: false, part: 'frame' },
  { text: 'DECOY ', injected: true, clean: '', control: 'MILD ', part: 'context' },
  { text: 'real text', injected: false, part: 'context' },
  { text: '\nAsk: ', injected: false, part: 'frame' },
  { text: 'why?', injected: false, part: 'query' },
  { text: ' TRIGGER', injected: true, part: 'query' },
];
const attackCase: AttackCase = {
  messages: [
    { role: 'system', spans: [{ text: 'obey', injected: true, part: 'frame' }] },
    { role: 'user', spans },
  ],
  hasControl: true,
  asksForSteps: true,
};

describe('rendering spans', () => {
  it('attacked sends every text, clean the clean forms, control the control forms', () => {
    expect(renderMessages(attackCase, 'attacked')).toEqual([
      { role: 'system', content: 'obey' },
      { role: 'user', content: 'Passage: DECOY real text\nAsk: why? TRIGGER' },
    ]);
    expect(renderMessages(attackCase, 'clean')).toEqual([
      { role: 'user', content: 'Passage: real text\nAsk: why?' },
    ]);
    expect(renderMessages(attackCase, 'control')).toEqual([
      { role: 'user', content: 'Passage: MILD real text\nAsk: why?' },
    ]);
  });

  it('the user view is the query and context as sent, original the same with nothing injected', () => {
    const views = renderViews(attackCase, 'attacked');
    expect(views.user).toEqual({ query: 'why? TRIGGER', context: 'DECOY real text', asksForSteps: true });
    expect(views.original).toEqual({ query: 'why?', context: 'real text', asksForSteps: true });
    expect(renderViews(attackCase, 'control').original).toEqual(views.original);
  });

  it('the prompt view is every message as sent', () => {
    expect(renderViews(attackCase, 'attacked').prompt).toEqual({
      query: 'obey\n\nPassage: DECOY real text\nAsk: why? TRIGGER',
      asksForSteps: true,
    });
  });

  it('a case without context spans has no context, rather than an empty one', () => {
    const bare: AttackCase = {
      messages: [{ role: 'user', spans: [{ text: 'why?', injected: false, part: 'query' }] }],
      hasControl: false,
      asksForSteps: false,
    };
    expect(renderViews(bare, 'clean').user).toEqual({ query: 'why?', asksForSteps: false });
  });

  it('where nothing is injected, all conditions send the same bytes', () => {
    const text = fc.string();
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const plain: AttackCase = {
          messages: [
            { role: 'user', spans: texts.map((piece) => ({ text: piece, injected: false, part: 'query' })) },
          ],
          hasControl: false,
          asksForSteps: false,
        };
        expect(renderMessages(plain, 'clean')).toEqual(renderMessages(plain, 'attacked'));
        expect(renderMessages(plain, 'control')).toEqual(renderMessages(plain, 'attacked'));
      }),
    );
  });
});
