// What people read about a failed request. In English the API's message says what happened; here is what to do next.
// In Korean both. A code that is not here shows the API's message.
import type { Language } from '../../../shared/language.js';

interface ErrorWords {
  /** In Korean; null: the API's message. */
  readonly what: string | null;
  readonly next: string | null;
  /** The API's message has a value or a limit that `what` does not repeat. */
  readonly detail: boolean;
}

const row = (en: string | null, what: string, ko: string | null) => ({ en, what, ko });

const wait = '잠시 후 다시 시도하세요.';

const table: Readonly<Record<string, ReturnType<typeof row>>> = {
  // Signing in, roles, organizations
  session_required: row('Sign in again.', '로그인이 필요합니다.', '다시 로그인하세요.'),
  invalid_credentials: row(
    'Check the address and the password. After several failures, wait a minute.',
    '이메일 또는 비밀번호가 올바르지 않습니다.',
    '입력한 내용을 확인하세요. 여러 번 실패했다면 1분 후 다시 시도하세요.',
  ),
  confirmation_required: row(
    'Enter your password, then repeat the action.',
    '마지막으로 비밀번호를 입력한 지 오래되어 다시 확인해야 합니다.',
    '비밀번호를 입력한 뒤 작업을 다시 진행하세요.',
  ),
  organization_suspended: row(
    'Contact the operator of this service.',
    '정지된 조직입니다.',
    '서비스 운영자에게 문의하세요.',
  ),
  forbidden: row(
    'Reload the page and try again.',
    '허용되지 않은 요청입니다.',
    '페이지를 새로 고친 뒤 다시 시도하세요.',
  ),
  insufficient_permission: row(
    'Ask an owner or admin of the organization.',
    '현재 역할로는 이 작업을 할 수 없습니다.',
    '조직의 소유자나 관리자에게 요청하세요.',
  ),
  insufficient_scope: row(
    'Ask an owner or admin of the organization.',
    '현재 역할로는 이 작업을 할 수 없습니다.',
    '조직의 소유자나 관리자에게 요청하세요.',
  ),
  account_blocked: row(
    'Contact the operator of this service to settle the payment dispute.',
    '이 조직의 결제가 차단되었습니다.',
    '서비스 운영자에게 문의하여 결제 문제를 해결하세요.',
  ),
  not_found: row(
    'It may have been removed. Go back to the list.',
    '대상을 찾을 수 없습니다.',
    '이미 삭제되었을 수 있습니다. 목록으로 돌아가 확인하세요.',
  ),
  last_owner: row(
    'Make another member an owner first.',
    '마지막 소유자는 나가거나 역할을 낮출 수 없습니다.',
    '먼저 다른 멤버를 소유자로 지정하세요.',
  ),
  invites_limit: row(
    'Revoke an invitation that is no longer needed.',
    '대기 중인 초대가 너무 많습니다.',
    '필요 없는 초대를 취소하세요.',
  ),
  workspaces_limit: row(
    'Remove a workspace that is no longer needed.',
    '조직에서 만들 수 있는 워크스페이스 수를 초과했습니다.',
    '더 이상 쓰지 않는 워크스페이스를 제거하세요.',
  ),
  workspace_in_use: row(
    'Revoke its keys and wait for its builds to end.',
    '사용 중인 키나 끝나지 않은 빌드가 있는 워크스페이스입니다.',
    '키를 폐기하고 빌드가 끝날 때까지 기다린 뒤 다시 시도하세요.',
  ),
  last_workspace: row(
    'Create another workspace first.',
    '조직에는 워크스페이스가 하나 이상 있어야 합니다.',
    '먼저 다른 워크스페이스를 만드세요.',
  ),
  keys_limit: row(
    'Revoke a key that is no longer needed.',
    '조직에서 만들 수 있는 API 키 수를 초과했습니다.',
    '더 이상 쓰지 않는 키를 폐기하세요.',
  ),

  // Any request
  rate_limited: row(null, '짧은 시간에 너무 많은 요청을 보냈습니다.', wait),
  invalid_request: row(null, '입력한 내용이 올바르지 않습니다.', '표시된 항목을 고친 뒤 다시 시도하세요.'),
  invalid_query: row(null, '필터나 검색 조건이 올바르지 않습니다.', '조건을 고친 뒤 다시 시도하세요.'),
  invalid_time: row(
    'Enter a date and time.',
    '시간 형식이 올바르지 않습니다.',
    '날짜와 시간을 다시 입력하세요.',
  ),
  payload_too_large: row('Send less at once.', '보낸 내용이 너무 큽니다.', '내용을 줄여서 다시 시도하세요.'),
  request_incomplete: row('Try again.', '요청이 끝까지 전송되지 않았습니다.', '다시 시도하세요.'),
  internal_error: row(
    'Try again once. If it fails again, send the request number to the operator of this service.',
    '서비스에서 오류가 발생했습니다.',
    '한 번 더 시도하고, 계속되면 요청 ID를 서비스 운영자에게 알려 주세요.',
  ),
  storage_full: row(null, '서비스의 디스크가 가득 차서 요청을 처리하지 못했습니다.', wait),

  // Orders and money
  no_capacity: row(
    'Order fewer Macs or a later start, choose another tier, or join the waitlist.',
    '이 등급에는 지금 이용할 수 있는 Mac이 없습니다.',
    '대수를 줄이거나 시작 시각을 늦추고, 다른 등급을 고르거나 대기를 신청하세요.',
  ),
  sales_closed: row('Choose another tier.', '이 등급은 지금 판매하지 않습니다.', '다른 등급을 선택하세요.'),
  available_now: row('Order now.', '지금 바로 이용할 수 있는 Mac이 있습니다.', '대기 신청 대신 주문하세요.'),
  waitlist_exists: row(null, '이 등급에 이미 대기를 신청했습니다.', null),
  waitlist_not_found: row(null, '대기 신청을 찾을 수 없습니다.', null),
  waitlist_not_cancellable: row(null, '이미 처리된 대기 신청입니다.', null),
  too_many_pending_orders: row(
    'Pay or cancel an open order first.',
    '결제하지 않은 주문이 너무 많습니다.',
    '미결제 주문을 결제하거나 취소한 뒤 다시 시도하세요.',
  ),
  order_not_found: row(
    'Go back to the orders.',
    '주문을 찾을 수 없습니다.',
    '주문 목록에서 다시 확인하세요.',
  ),
  order_expired: row('Create a new order.', '결제 기한이 지난 주문입니다.', '새로 주문하세요.'),
  order_not_payable: row(
    'Open the order to see its status.',
    '이미 결제되었거나 취소된 주문입니다.',
    '주문 상태를 확인하세요.',
  ),
  order_not_refundable: row(null, '결제되지 않았거나 이미 환불된 주문입니다.', null),
  payment_mismatch: row(
    'Start the payment again. Amounts charged by mistake are refunded.',
    '결제 내용이 주문과 일치하지 않습니다.',
    '결제를 처음부터 다시 진행하세요. 잘못 결제된 금액은 환불됩니다.',
  ),
  payment_unavailable: row(
    null,
    '결제 대행사가 응답하지 않습니다. 결제된 금액은 없습니다.',
    '1분 뒤 다시 시도하세요.',
  ),
  consent_required: row('Confirm both points.', '동의가 필요합니다.', '필수 항목에 모두 동의하세요.'),
  fx_unavailable: row('Try again later.', '환율을 가져올 수 없습니다.', wait),
  topup_not_withdrawable: row(null, '결제가 완료된 충전만 취소할 수 있습니다.', null),
  withdrawal_expired: row(null, '충전을 취소할 수 있는 기간이 지났습니다.', null),
  credit_spent: row(null, '남은 크레딧이 충전 금액보다 적어 취소할 수 없습니다.', null),

  // Macs
  rental_not_found: row('Go back to the Macs.', 'Mac을 찾을 수 없습니다.', 'Mac 목록에서 다시 확인하세요.'),
  rental_not_active: row(
    'Wait until it is ready.',
    '지금 사용할 수 없는 Mac입니다.',
    '사용할 수 있게 된 뒤 다시 시도하세요.',
  ),
  rental_busy: row(
    'Do it after the build has ended, or cancel the build.',
    'Mac에서 빌드가 실행 중입니다.',
    '빌드가 끝난 뒤 실행하도록 하거나 빌드를 중지하세요.',
  ),
  extension_deadline: row(
    'Rent a new Mac.',
    '종료 시각이 가까워 연장할 수 없습니다.',
    '새 Mac을 대여하세요.',
  ),
  extension_pending: row(
    'Pay the open extension, or wait until it expires.',
    '결제를 기다리는 연장 주문이 있습니다.',
    '해당 주문을 결제하거나 만료될 때까지 기다리세요.',
  ),
  extension_unavailable: row(
    'Leave out the Macs that cannot be extended.',
    '연장할 수 없는 Mac이 포함되어 있습니다.',
    '연장할 수 없는 Mac을 제외하세요.',
  ),
  rental_duration_limit: row(
    'Extend by fewer days, or rent a new Mac.',
    '같은 Mac을 대여할 수 있는 최대 기간을 초과합니다.',
    '연장 일수를 줄이거나 새 Mac을 대여하세요.',
  ),
  reservation_conflict: row(
    'Choose a shorter time.',
    '다음 예약과 기간이 겹칩니다.',
    '더 짧은 기간을 선택하세요.',
  ),
  invalid_period: row(null, '대여 기간이 올바르지 않습니다.', '24시간 단위로 선택하세요.'),
  reset_limit: row(
    'Wait, or reset with the caches kept.',
    '지금은 이 Mac에 새 가상 머신을 만들 수 없습니다.',
    '잠시 기다리거나 캐시를 유지한 채 초기화하세요.',
  ),
  reset_failed: row(null, 'Mac을 초기화하지 못했습니다. 운영자에게 보고되었습니다.', wait),
  job_in_progress: row(
    'Wait until the job has ended.',
    '이 Mac에서 초기화 또는 설정 작업이 진행 중입니다.',
    '작업이 끝난 뒤 다시 시도하세요.',
  ),
  invalid_setup: row(null, '선택한 Xcode, 런타임 또는 도구를 사용할 수 없습니다.', '다른 버전을 선택하세요.'),
  xcode_not_available: row(
    'Choose another version.',
    '이 등급에서 사용할 수 없는 Xcode 버전입니다.',
    '다른 버전을 선택하세요.',
  ),
  no_active_rental: row('Rent a Mac.', '빌드할 Mac이 없습니다.', 'Mac을 대여하세요.'),

  // Builds
  build_not_found: row(
    'It may have been deleted because of its age.',
    '빌드를 찾을 수 없습니다.',
    '보관 기간이 지나 삭제되었을 수 있습니다.',
  ),
  build_not_queued: row(null, '더 이상 대기 중이 아닌 빌드이므로 우선순위를 바꿀 수 없습니다.', null),
  log_deleted: row(
    'The build and its failure can still be read.',
    '보관 기간이 지나 로그가 삭제되었습니다.',
    '빌드 정보와 실패 원인은 계속 볼 수 있습니다.',
  ),
  queue_full: row(
    'Wait until builds have started, or cancel some.',
    '빌드 대기열이 가득 찼습니다.',
    '빌드가 시작될 때까지 기다리거나 필요 없는 빌드를 취소하세요.',
  ),
  too_many_concurrent_builds: row(
    'Wait until a build has ended.',
    '동시에 실행할 수 있는 빌드 수를 초과했습니다.',
    '빌드가 끝난 뒤 다시 시도하세요.',
  ),
  upload_not_found: row(
    'Send the folder again.',
    '업로드가 없거나 만료되었습니다.',
    '폴더를 다시 업로드하세요.',
  ),
  upload_incomplete: row(
    'Send the folder again.',
    '업로드가 완료되지 않았습니다.',
    '폴더를 다시 업로드하세요.',
  ),

  // Secrets, webhooks, files
  invalid_secret_name: row(
    'Use capital letters, digits and underscores; names of the build itself are taken.',
    '시크릿 이름이 올바르지 않습니다.',
    '영문 대문자, 숫자, 밑줄만 사용하세요. 빌드가 쓰는 이름은 사용할 수 없습니다.',
  ),
  invalid_secret_value: row(null, '시크릿 값이 올바르지 않습니다.', '값의 길이를 확인하세요.'),
  secrets_limit: row(
    'Delete a secret that is no longer needed, or store a shorter value.',
    '저장할 수 있는 시크릿의 수나 크기를 초과했습니다.',
    '필요 없는 시크릿을 삭제하거나 값을 줄이세요.',
  ),
  secrets_unavailable: row(null, '시크릿을 암호화하는 키를 사용할 수 없어 저장하지 못했습니다.', wait),
  secret_not_found: row(null, '시크릿을 찾을 수 없습니다.', '이미 삭제되었을 수 있습니다.'),
  invalid_webhook: row(null, '웹훅 설정이 올바르지 않습니다.', '주소와 이벤트를 확인하세요.'),
  webhook_not_found: row(
    'Go back to the webhooks.',
    '웹훅을 찾을 수 없습니다.',
    '이미 삭제되었을 수 있습니다.',
  ),
  webhooks_limit: row(
    'Delete a webhook that is no longer needed.',
    '만들 수 있는 웹훅 수를 초과했습니다.',
    '필요 없는 웹훅을 삭제하세요.',
  ),
  delivery_not_found: row(null, '전송 기록을 찾을 수 없습니다.', '보관 기간이 지나 삭제되었을 수 있습니다.'),
  file_in_use: row(
    'Wait until the build has ended, or cancel it.',
    '끝나지 않은 빌드가 사용하는 파일입니다.',
    '빌드가 끝난 뒤 삭제하거나 빌드를 취소하세요.',
  ),
  storage_quota_exceeded: row(
    'Delete files, secrets and webhooks that are no longer needed.',
    '저장 공간을 모두 사용했습니다.',
    '필요 없는 파일, 시크릿, 웹훅을 삭제하세요.',
  ),
};

const hasDetail = (code: string) => code.startsWith('invalid_') || code.endsWith('_limit');

/** Returns null for a code without texts. */
export function wordsOfError(code: string, language: Language): ErrorWords | null {
  const found = Object.hasOwn(table, code) ? table[code] : undefined;
  if (!found) return null;
  if (language === 'en') return { what: null, next: found.en, detail: false };
  return { what: found.what, next: found.ko, detail: hasDetail(code) };
}

/** Codes that have texts. */
export const codesWithWords: readonly string[] = Object.keys(table);
