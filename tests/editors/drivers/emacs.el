;;; emacs.el --- Does in Emacs what a test says, and tells what eglot sees  -*- lexical-binding: t -*-
;;; Commentary:
;; One JSON object a line over a socket, both ways.
;;; Code:
(package-activate-all)
(require 'eglot)
(setq large-file-warning-threshold nil)

(defvar driver-waiting nil "What the test has said and is not done yet.")
(defvar driver-rest "" "The beginning of a line that has not come to its end.")
(defvar driver-numbers (make-hash-table) "The test's number of a request and eglot's.")

(defun driver-read (text)
  "Read JSON TEXT as eglot reads messages."
  (json-parse-string text :object-type 'plist :null-object nil :false-object :json-false))

(defun driver-tell (event &rest details)
  "Tell the test of EVENT with its DETAILS."
  (process-send-string
   driver-socket
   (concat (json-serialize `(:event ,event ,@details) :null-object nil :false-object :json-false) "\n")))

(defun driver-receive (_socket data)
  "Keep the lines of DATA for later, since eglot must not be called from a process filter."
  (let ((lines (split-string (concat driver-rest data) "\n")))
    (setq driver-rest (car (last lines))
          driver-waiting (append driver-waiting (mapcar #'driver-read (butlast lines))))))

(defun driver-answered (number kind)
  "Make a function that tells how the request NUMBER was answered, by a result or an error as KIND says."
  (lambda (value) (driver-tell "answer" :number number kind value)))

(defun driver-server ()
  "Give the server of the file, once it is connected."
  (with-timeout (15 (error "Not connected"))
    (while (not (eglot-current-server)) (accept-process-output nil 0.02)))
  (eglot-current-server))

(defun driver-ready ()
  "Tell what the server offers."
  (let ((offered (eglot--capabilities (driver-server))))
    (driver-tell "ready"
                 :commands (plist-get (plist-get offered :executeCommandProvider) :commands)
                 :card (plist-get (plist-get offered :experimental) :compactChat))))

(cl-defgeneric driver-do (what told) "Do WHAT the test has TOLD.")

(cl-defmethod driver-do ((_ (eql 'start)) told)
  (define-derived-mode jsonl-mode fundamental-mode "JSONL")
  (add-to-list 'eglot-server-programs `(jsonl-mode . ,(append (plist-get told :server) nil)))
  (setq-default eglot-workspace-configuration (plist-get told :settings))
  (find-file (plist-get told :file))
  (jsonl-mode)
  (call-interactively #'eglot)
  (driver-ready))

(cl-defmethod driver-do ((_ (eql 'adopt)) told)
  "As a user does it whose init file says how."
  (find-file (plist-get told :file))
  (call-interactively #'eglot)
  (driver-ready))

(cl-defmethod driver-do ((_ (eql 'request)) told)
  (let ((number (plist-get told :number)))
    (puthash number
             (car (jsonrpc--async-request-1
                   (driver-server) (intern (concat ":" (plist-get told :method))) (plist-get told :params)
                   :success-fn (driver-answered number :result)
                   :error-fn (driver-answered number :error)
                   :timeout 60))
             driver-numbers)))

(cl-defmethod driver-do ((_ (eql 'command)) told)
  (let ((command (plist-get told :command)) (arguments (vector (plist-get told :params))))
    (driver-tell "answer" :number (plist-get told :number)
                 :result (if (fboundp 'eglot-execute)
                             (eglot-execute (driver-server) `(:title "" :command ,command :arguments ,arguments))
                           (eglot-execute-command (driver-server) command arguments)))))

(cl-defmethod driver-do ((_ (eql 'cancel)) told)
  "Eglot cancels nothing by itself; this is what a package on top of it would send."
  (jsonrpc-notify (driver-server) :$/cancelRequest (list :id (gethash (plist-get told :number) driver-numbers))))

(cl-defmethod driver-do ((_ (eql 'notify)) told)
  (jsonrpc-notify (driver-server) (intern (concat ":" (plist-get told :method))) (plist-get told :params)))

(cl-defmethod driver-do ((_ (eql 'configure)) told)
  (setq-default eglot-workspace-configuration (plist-get told :settings))
  (eglot-signal-didChangeConfiguration (driver-server)))

(cl-defmethod driver-do ((_ (eql 'evaluate)) told)
  (driver-tell "answer" :number (plist-get told :number) :result (eval (read (plist-get told :code)) t)))

(cl-defmethod driver-do ((_ (eql 'stop)) _told)
  (eglot-shutdown (driver-server))
  (driver-tell "stopped"))

(cl-defmethod driver-do ((_ (eql 'quit)) _told)
  (kill-emacs))

;; Eglot 1.9 does not know progress; what arrives is told all the same.
(cl-defmethod eglot-handle-notification :before (_server (_method (eql '$/progress)) &key token value &allow-other-keys)
  (driver-tell "progress" :token token :value value))

(defvar driver-socket
  (make-network-process :name "test" :host "127.0.0.1" :service (string-to-number (getenv "DRIVER_PORT"))
                        :coding 'utf-8-unix :filter #'driver-receive :sentinel (lambda (&rest _) (kill-emacs))))

(while t
  (accept-process-output nil 0.05)
  (while driver-waiting
    (let ((told (pop driver-waiting)))
      (condition-case failure
          (driver-do (intern (plist-get told :what)) told)
        (error (driver-tell "failed" :text (error-message-string failure)))))))
;;; emacs.el ends here
