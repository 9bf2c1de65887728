import { z } from 'zod';

/** The arms of a case (DESIGN, "Words"). The guarded arms exist once for each monitor of the spec. */
export const arms = ['clean', 'attacked', 'guarded', 'guarded-clean', 'control'] as const;
export const armSchema = z.enum(arms);
export type Arm = z.infer<typeof armSchema>;

export function isGuarded(arm: Arm): boolean {
  return arm === 'guarded' || arm === 'guarded-clean';
}
