import { useBuildActions } from '../data/builds.js';
import type { Place } from '../data/place.js';
import { useGo } from '../design/link.js';
import { useToast } from '../design/toast.js';

/** Runs a build again and goes to the new one. */
export function useRerun(place: Pick<Place, 'id'>) {
  const { rerun } = useBuildActions(place);
  const go = useGo();
  const toast = useToast();
  return {
    /** The build that is being submitted. */
    pending: rerun.isPending ? rerun.variables : null,
    run: (id: string) =>
      rerun.mutate(id, {
        onSuccess: (build) => go({ to: '/o/$org/builds/$build_id', params: { build_id: build.id } }),
        onError: toast.failed,
      }),
  };
}
